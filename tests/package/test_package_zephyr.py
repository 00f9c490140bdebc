"""Modules of Zephyr: the sample, built by CMake with a stand-in for what it calls of Zephyr.

Zephyr itself, its Kconfig and `west` are not there: the stand-in reads module.yml and prj.conf and
has zephyr_library() and its like make ordinary libraries, for this computer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from tests.conftest import ZooModel
from tests.frontends.builds import SINE
from tests.package.package_builds import (
    answers_of,
    expected_answers,
    make_package,
    printed_by,
)
from tests.support.hand_written import target_or_skip
from tinyml_rules.system.process import run_tool

STAND_IN = """\
project(Zephyr-Kernel LANGUAGES C)
file(STRINGS ${CMAKE_CURRENT_SOURCE_DIR}/prj.conf settings)
foreach(setting ${settings})
  string(REGEX MATCH "^(CONFIG_[A-Z0-9_]+)=(.+)$" found ${setting})
  set(${CMAKE_MATCH_1} ${CMAKE_MATCH_2})
endforeach()
add_library(zephyr_interface INTERFACE)
add_executable(app)
target_link_libraries(app PRIVATE zephyr_interface)
function(zephyr_include_directories)
  foreach(folder ${ARGN})
    target_include_directories(zephyr_interface INTERFACE ${CMAKE_CURRENT_SOURCE_DIR}/${folder})
  endforeach()
endfunction()
macro(zephyr_library)
  set(ZEPHYR_CURRENT_LIBRARY module_library)
  add_library(${ZEPHYR_CURRENT_LIBRARY} STATIC)
  target_link_libraries(${ZEPHYR_CURRENT_LIBRARY} PRIVATE zephyr_interface)
  target_link_libraries(app PRIVATE ${ZEPHYR_CURRENT_LIBRARY})
endmacro()
function(zephyr_library_sources)
  target_sources(${ZEPHYR_CURRENT_LIBRARY} PRIVATE ${ARGN})
endfunction()
foreach(module ${EXTRA_ZEPHYR_MODULES})
  file(STRINGS ${module}/zephyr/module.yml lines REGEX "^  cmake: ")
  string(REGEX REPLACE "^  cmake: " "" folder ${lines})
  add_subdirectory(${module}/${folder} modules)
endforeach()
"""


def build_sample(package: Path, folder: Path) -> Path:
    """Build a package's sample for this computer with the stand-in; returns the program."""
    (folder / "zephyr").mkdir()
    (folder / "zephyr" / "ZephyrConfig.cmake").write_text(STAND_IN)
    (sample,) = (package / "samples").iterdir()
    zephyr = f"-DZephyr_DIR={folder / 'zephyr'}"
    printed_by(["cmake", "-G", "Ninja", "-S", sample, "-B", "build", zephyr], folder)
    printed_by(["cmake", "--build", "build"], folder)
    return folder / "build" / "app"


def test_sample(tmp_path: Path) -> None:
    """Found through module.yml, switched on by prj.conf: its answers are TFLM's."""
    package = make_package("zephyr", tmp_path / "sine", target="host")
    printed = printed_by([build_sample(package, tmp_path)], tmp_path)
    assert answers_of(printed) == expected_answers(SINE / "sine.tflite")


def test_switched_off(tmp_path: Path) -> None:
    """Without its symbol the module adds nothing, so that the sample finds no header."""
    package = make_package("zephyr", tmp_path / "sine", target="host")
    (package / "samples" / "sine" / "prj.conf").write_text("CONFIG_OTHER=y\n")
    with pytest.raises(AssertionError, match=r"sine\.h"):
        build_sample(package, tmp_path)


def read_yaml(file: Path) -> Any:
    """The contents of a YAML file."""
    return YAML(typ="safe").load(file)


def test_descriptions(tmp_path: Path) -> None:
    """module.yml, Kconfig and sample.yaml speak of the same symbol and of folders there."""
    package = make_package("zephyr", tmp_path / "sine")
    module = read_yaml(package / "zephyr" / "module.yml")
    assert module == {
        "name": "sine",
        "build": {"cmake": ".", "kconfig": "Kconfig"},
        "samples": ["samples"],
    }
    kconfig = (package / "Kconfig").read_text(encoding="utf-8")
    assert kconfig.startswith("config TINYML_SINE\n\tbool ")
    assert "\tdepends on CPU_CORTEX_M\n" in kconfig
    sample = package / "samples" / "sine"
    assert (sample / "prj.conf").read_text() == "CONFIG_TINYML_SINE=y\n"
    (case,) = read_yaml(sample / "sample.yaml")["tests"].values()
    assert case["filter"] == "CONFIG_CPU_CORTEX_M"
    assert case["harness_config"]["type"] == "one_line"


@pytest.mark.parametrize(
    ("target", "symbols"),
    [
        ("nrf51", ("CPU_CORTEX_M",)),
        ("stm32f405", ("CPU_CORTEX_M4", "CPU_CORTEX_M7", "ARMV8_M_DSP", "ARMV8_1_M_MVEI")),
        ("mps3_an547", ("ARMV8_1_M_MVEI",)),
        ("riscv32imc", ("RISCV",)),
    ],
)
def test_symbols(
    target: str, symbols: tuple[str, ...], tmp_path: Path, zoo_model: ZooModel
) -> None:
    """A model whose kernels use what the core has is offered where Zephyr knows of it."""
    model = zoo_model("speech")
    package = make_package("zephyr", tmp_path, model=model, name="speech", target=target)
    kconfig = (package / "Kconfig").read_text(encoding="utf-8")
    assert f"\tdepends on {' || '.join(symbols)}\n" in kconfig
    sample = read_yaml(package / "samples" / "speech" / "sample.yaml")
    (case,) = sample["tests"].values()
    assert case["filter"] == " or ".join(f"CONFIG_{each}" for each in symbols)


def test_sources_compile(tmp_path: Path) -> None:
    """For the Cortex-M that the package names."""
    target = target_or_skip("stm32f405")
    package = make_package("zephyr", tmp_path / "sine")
    for source in sorted((package / "src").glob("*.c")):
        output = tmp_path / f"{source.stem}.o"
        include = [package / "include"]
        run_tool(target.toolchain.compile_command(source, output, include=include), where="zephyr")


def test_wrong_processor(tmp_path: Path) -> None:
    """The sample of a Cortex-M, built for this computer."""
    package = make_package("zephyr", tmp_path / "sine")
    with pytest.raises(AssertionError, match="needs a Cortex-M:"):
        build_sample(package, tmp_path)
