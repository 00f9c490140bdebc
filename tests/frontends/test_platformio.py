"""PlatformIO builds a firmware from a .tflite, offline, with the package in its own Python."""

from __future__ import annotations

import json
import re
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.frontends.builds import SINE, architecture, run, symbols, with_other_weight
from tests.frontends.node import check_node, copy_example
from tests.frontends.platformio_builds import (
    PlatformIO,
    compile_through_platformio,
    make_project,
)
from tests.frontends.stranger import answers, expected_answers
from tinyml_rules.compiler import compile_model
from tinyml_rules.request.request import Request
from tinyml_rules.target.target import load_target

UNO = {"platform": "atmelavr", "board": "uno"}
NATIVE = {"platform": "native"}
FIRST_BUILD = ["Compiling main.o", "Compiling sine.o", "Generating sine.c", "Linking program"]

_STEP = re.compile(r"^(Generating|Compiling|Linking) ([^\s:]+)(?:: .*)?$", re.M)
_FROM_CACHE = re.compile(r"^Retrieved `.*?([^/]+)' from cache$", re.M)


def steps(output: str) -> list[str]:
    """What a build did, sorted: `Compiling main.o`."""
    return sorted(f"{word} {Path(file).name}" for word, file in _STEP.findall(output))


def built(project: Path, file: str) -> Path:
    """A file that PlatformIO built: `uno/firmware.elf`."""
    return project / ".pio" / "build" / file


def use_library(project: Path) -> None:
    """Have the models added by a library instead of by a script of the project, as documented."""
    ini = project / "platformio.ini"
    script = "extra_scripts = pre:tinyml.py"
    assert script in ini.read_text()
    library = "lib_deps = symlink://${sysenv.TINYML_RULES}"
    ini.write_text(ini.read_text().replace(script, library))
    (project / "tinyml.py").unlink()


@pytest.mark.parametrize("way", ["script", "library"])
def test_node(way: str, platformio: PlatformIO, tmp_path: Path) -> None:
    """The example's firmware on simavr; the second build has nothing to do."""
    project = copy_example("platformio", tmp_path)
    if way == "library":
        use_library(project)
    platformio.build(project)
    check_node(built(project, "uno/firmware.elf"))
    assert steps(platformio.build(project)) == []


def test_script_and_library(platformio: PlatformIO, tmp_path: Path) -> None:
    """Of a project that has both, the model is compiled and linked once."""
    project = make_project(tmp_path / "project", environments={"native": NATIVE})
    ini = project / "platformio.ini"
    ini.write_text(ini.read_text() + "lib_deps = symlink://${sysenv.TINYML_RULES}\n")
    assert steps(platformio.build(project)) == FIRST_BUILD
    model = (SINE / "sine.tflite").read_bytes()
    assert answers(built(project, "native/program")) == expected_answers(model)


def test_place_of_the_library(platformio: PlatformIO, tmp_path: Path) -> None:
    """What the documentation puts into TINYML_RULES is the library's folder."""
    where = [sys.executable, "-m", "tinyml_rules", "where", "platformio"]
    done = run(where, tmp_path, variables=platformio.variables)
    assert done.stdout.rstrip() == platformio.variables["TINYML_RULES"]
    assert (Path(done.stdout.rstrip()) / "library.json").is_file()


def test_same_bytes(platformio: PlatformIO, tmp_path: Path) -> None:
    """What PlatformIO compiles is what the compiler writes."""
    folder = compile_through_platformio(tmp_path / "project", platformio)
    request = Request((SINE / "sine.tflite").read_bytes(), "sine", load_target("atmega328"))
    files = compile_model(request).files
    for name in ("sine.c", "sine.h"):
        assert (folder / name).read_text() == files[name]


def test_two_environments(platformio: PlatformIO, tmp_path: Path) -> None:
    """Each has its own target, from its board or platform, and its own settings."""
    native = {**NATIVE, "custom_tinyml_schedule": "layer", "custom_tinyml_arena": "shared"}
    project = make_project(tmp_path / "project", environments={"uno": UNO, "native": native})
    platformio.build(project)
    assert architecture(built(project, "uno/firmware.elf")) == "Atmel AVR 8-bit"
    assert "tinyml_shared_arena" in symbols(built(project, "native/program"))
    model = (SINE / "sine.tflite").read_bytes()
    assert answers(built(project, "native/program")) == expected_answers(model)
    platformio.build(project, "-e", "uno", "-t", "clean")
    assert not built(project, "uno").exists()
    assert built(project, "native/tinyml/sine.c").exists()


def test_sources_in_cpp(platformio: PlatformIO, tmp_path: Path) -> None:
    """As Arduino's are: the header is found, and the model links."""
    project = make_project(tmp_path / "project", environments={"native": NATIVE})
    (project / "src" / "main.c").rename(project / "src" / "main.cpp")
    platformio.build(project)
    model = (SINE / "sine.tflite").read_bytes()
    assert answers(built(project, "native/program")) == expected_answers(model)


def test_changed_model(platformio: PlatformIO, tmp_path: Path) -> None:
    """It is compiled and linked anew; main.c is not, because the header is the same."""
    project = make_project(tmp_path / "project", environments={"native": NATIVE})
    assert steps(platformio.build(project)) == FIRST_BUILD
    model = project / "nets" / "sine.tflite"
    model.write_bytes(with_other_weight(model.read_bytes()))
    expected = ["Compiling sine.o", "Generating sine.c", "Linking program"]
    assert steps(platformio.build(project)) == expected


def test_changed_compiler(platformio: PlatformIO, tmp_path: Path) -> None:
    """An edited template compiles the model anew; a comment in C changes no object, so no link."""
    packages = tmp_path / "packages"
    shutil.copytree(platformio.packages, packages)
    edited = replace(platformio, packages=packages)
    project = make_project(tmp_path / "project", environments={"native": NATIVE})
    edited.build(project)
    template = packages / "tinyml_rules" / "emit" / "templates" / "model.c.j2"
    template.write_text(template.read_text() + "/* edited */\n")
    assert steps(edited.build(project)) == ["Compiling sine.o", "Generating sine.c"]
    assert built(project, "native/tinyml/sine.c").read_text().endswith("/* edited */\n")


def test_build_cache(platformio: PlatformIO, tmp_path: Path) -> None:
    """PlatformIO's cache brings the C, too, in another folder as well."""
    projects = [
        make_project(tmp_path / name, environments={"native": NATIVE}) for name in ("one", "two")
    ]
    for project in projects:
        ini = project / "platformio.ini"
        cache = f"[platformio]\nbuild_cache_dir = {tmp_path / 'cache'}\n"
        ini.write_text(f"{cache}\n{ini.read_text()}")
    assert steps(platformio.build(projects[0])) == FIRST_BUILD
    output = platformio.build(projects[1])
    assert steps(output) == []
    assert {"sine.c", "sine.h", "sine.o"} <= set(_FROM_CACHE.findall(output))


def commands(output: str) -> list[str]:
    """How main.c was compiled, and what was linked."""
    lines = [line for line in output.splitlines() if line.startswith("avr-gcc ")]
    return [line for line in lines if line.endswith(" src/main.c") or " -c " not in line]


def test_nothing_of_the_project_changes(platformio: PlatformIO, tmp_path: Path) -> None:
    """Commands are as without the model, but for the headers' folder and an object."""
    project = make_project(tmp_path / "project", environments={"uno": UNO})
    compile_, link = commands(platformio.build(project, "-v"))
    ini = project / "platformio.ini"
    ini.write_text(ini.read_text().replace("extra_scripts = pre:tinyml.py", ""))
    (project / "src" / "main.c").write_text("int main(void)\n{\n    return 0;\n}\n")
    plain = commands(platformio.build(project, "-v"))
    headers = " -I.pio/build/uno/tinyml"
    assert headers in compile_
    assert " .pio/build/uno/tinyml/sine.o" in link
    without = [compile_.replace(headers, ""), link.replace(" .pio/build/uno/tinyml/sine.o", "")]
    assert without == plain


@pytest.mark.parametrize("outputs", ["right", "wrong"])
def test_unit_tests(outputs: str, platformio: PlatformIO, tmp_path: Path) -> None:
    """`pio test` runs the model on simavr, and one wrong output of 256 fails it."""
    project = copy_example("platformio", tmp_path)
    expected = project / "test" / "test_sine" / "expected.h"
    if outputs == "wrong":
        expected.write_text(expected.read_text().replace("    2, 5,", "    2, 6,"))
    done = platformio.run(project, "test", "-e", "emulated", "--without-uploading")
    assert f"sine {'PASS' if outputs == 'right' else 'FAIL'}" in done.stdout, done.stderr
    assert (done.returncode == 0) == (outputs == "right")


def test_editors_are_told(platformio: PlatformIO, tmp_path: Path) -> None:
    """What PlatformIO tells an editor names the folder of the headers."""
    project = make_project(tmp_path / "project", environments={"native": NATIVE})
    platformio.build(project, "-t", "idedata")
    data = json.loads(built(project, "native/idedata.json").read_text())
    assert str(built(project, "native/tinyml")) in data["includes"]["build"]
