"""Plain C: built by make and by CMake for this computer and run, and by make for an AVR."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from tests.commands.test_command_line_run import sum_model
from tests.conftest import ZooModel
from tests.frontends.builds import SINE, architecture, run
from tests.package.package_builds import answers_of, expected_answers, make_package, printed_by
from tinyml_rules.target.toolchain import WARNING_FLAGS

OPTIONS = [
    *(
        (f"--arena={arena}", f"--weights={weights}", *rows)
        for arena, weights, rows in itertools.product(
            ("static", "caller", "shared"), ("flash", "external"), ((), ("--push-rows",))
        )
    ),
    ("--arena=static", "--push-rows", "--slide=2"),
    ("--arena=caller", "--weights=external", "--push-rows", "--slide=10"),
]


def test_make(tmp_path: Path) -> None:
    """The example's answers are TFLM's, and the second time nothing is made."""
    folder = make_package("c", tmp_path / "sine", target="host")
    flags = f"CFLAGS=-O1 {' '.join(WARNING_FLAGS)}"
    printed = printed_by(["make", "--silent", "run", flags], folder)
    assert answers_of(printed) == expected_answers(SINE / "sine.tflite")
    assert (folder / "libsine.a").is_file()
    assert "up to date" in printed_by(["make", flags], folder)
    (folder / "include" / "sine.h").touch()
    assert "sine.c" in printed_by(["make", flags], folder)
    printed_by(["make", "clean"], folder)
    assert sorted(path.name for path in folder.rglob("*") if path.is_file()) == sorted(
        ("CMakeLists.txt", "Makefile", "README.md", "main.c", "sine.c", "sine.h", "sine_target.c")
    )


def test_cmake(tmp_path: Path) -> None:
    """The same by CMake."""
    folder = make_package("c", tmp_path / "sine", target="host")
    build = tmp_path / "build"
    flags = f"-DCMAKE_C_FLAGS={' '.join(WARNING_FLAGS)}"
    printed_by(["cmake", "-G", "Ninja", "-S", folder, "-B", build, flags], tmp_path)
    printed_by(["cmake", "--build", build], tmp_path)
    printed = printed_by([build / "sine_example"], tmp_path)
    assert answers_of(printed) == expected_answers(SINE / "sine.tflite")


def test_cmake_within_a_project(tmp_path: Path) -> None:
    """A folder of a larger project: the library alone, with its header's folder."""
    make_package("c", tmp_path / "sine", target="host")
    (tmp_path / "main.c").write_text('#include "sine.h"\nint main(void) { sine_invoke(); }\n')
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.13)\n"
        "project(firmware LANGUAGES C)\n"
        "add_subdirectory(sine)\n"
        "add_executable(firmware main.c)\n"
        "target_link_libraries(firmware PRIVATE sine)\n"
    )
    printed_by(["cmake", "-G", "Ninja", "-S", ".", "-B", "build"], tmp_path)
    printed_by(["cmake", "--build", "build"], tmp_path)
    printed_by([tmp_path / "build" / "firmware"], tmp_path)
    assert not list((tmp_path / "build").rglob("sine_example"))


@pytest.mark.parametrize("options", OPTIONS, ids=" ".join)
def test_options(options: tuple[str, ...], zoo_model: ZooModel, tmp_path: Path) -> None:
    """The example is right for every interface that a model can have."""
    model = zoo_model("speech")
    folder = make_package("c", tmp_path / "s", *options, model=model, name="speech", target="host")
    flags = f"CFLAGS=-O1 {' '.join(WARNING_FLAGS)}"
    printed = printed_by(["make", "--silent", "run", flags], folder)
    assert answers_of(printed) == expected_answers(model)
    assert (folder / "speech.weights.bin").is_file() == ("--weights=external" in options)


def test_several_inputs_and_outputs(tmp_path: Path) -> None:
    """The example fills every input and prints every output."""
    model = tmp_path / "sum.tflite"
    model.write_bytes(sum_model())
    folder = make_package("c", tmp_path / "sum", model=model, name="sum", target="host")
    printed = printed_by(["make", "--silent", "run"], folder)
    assert answers_of(printed) == expected_answers(model)
    readme = (folder / "README.md").read_text(encoding="utf-8")
    for accessor in ("sum_input_left_side", "sum_input_right", "sum_output_sum"):
        assert f" *{accessor}(void); /* 6 values" in readme


def test_tensors_in_another_region(tmp_path: Path) -> None:
    """The README says what is left for the linker script."""
    words = ("--optimize", "layers", "--place", "sine/dense_0/relu=fast")
    folder = make_package("c", tmp_path / "sine", *words, target="stm32f405")
    readme = (folder / "README.md").read_text(encoding="utf-8")
    assert "places section `.tinyml_fast`, 16 bytes, into" in readme
    assert '".tinyml_fast"' in (folder / "src" / "sine.c").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("target", "options"),
    [
        ("nrf52840", ()),
        ("rp2040", ("--weights=external",)),
        ("lm3s6965", ("--arena=caller", "--push-rows")),
        ("mps3_an547", ()),
        ("atmega2560", ()),
        ("riscv32imc", ("--arena=shared",)),
        ("esp8266", ()),
        ("xtensa_lx6", ("--optimize=size",)),
    ],
)
def test_run_of_a_package_for_a_part(
    target: str, options: tuple[str, ...], zoo_model: ZooModel, tmp_path: Path
) -> None:
    """By this computer's compiler, in which the part's assembly means nothing; the part's is not
    needed for it."""
    model = zoo_model("speech")
    folder = make_package("c", tmp_path / "s", *options, model=model, name="speech", target=target)
    printed = printed_by(["make", "--silent", "run", "CROSS_COMPILE=missing-"], folder)
    assert answers_of(printed) == expected_answers(model)
    made = {path.name for path in folder.rglob("*") if path.suffix in (".o", ".a")}
    assert made == set()
    printed_by(["make", "clean"], folder)
    assert not (folder / "host" / "speech_example").exists()


def test_cross_compiled(tmp_path: Path) -> None:
    """By `make` alone: the target's compiler and processor are the Makefile's defaults."""
    folder = make_package("c", tmp_path / "sine", target="atmega328")
    printed_by(["make", "--silent"], folder)
    assert architecture(folder / "src" / "sine.o") == "Atmel AVR 8-bit"


def test_wrong_compiler(tmp_path: Path) -> None:
    """The first file to fail is the one that says why."""
    folder = make_package("c", tmp_path / "sine", target="atmega328")
    done = run(["make", "CROSS_COMPILE=", "CFLAGS=-O1"], folder)
    assert done.returncode != 0
    assert "error: #error" in done.stderr
    assert "sine was compiled for target atmega328 and needs an AVR, and GCC" in done.stderr
    assert "__flash" not in done.stderr
