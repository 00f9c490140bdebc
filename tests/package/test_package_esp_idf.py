"""Components of ESP-IDF: judged by its component manager, compiled by what CMakeLists.txt lists.

ESP-IDF itself is not there: `idf_component_register` is a function that prints its arguments."""

from __future__ import annotations

import re
import sys
import tarfile
from pathlib import Path

from tests.frontends.builds import SINE, run
from tests.package.package_builds import (
    answers_of,
    expected_answers,
    make_package,
    printed_by,
)
from tests.support.hand_written import target_or_skip
from tinyml_rules.system.process import run_tool

COMPOTE = Path(sys.executable).with_name("compote")
PACK = (COMPOTE, "component", "pack", "--name", "sine", "--dest-dir", "dist")
NO_NETWORK = {"http_proxy": "http://127.0.0.1:9", "https_proxy": "http://127.0.0.1:9"}

REGISTER = """\
function(idf_component_register)
  message(STATUS "component ${ARGN}")
endfunction()
include(${FILE})
"""


def registered(cmake_lists: Path) -> dict[str, list[str]]:
    """The arguments of idf_component_register in a CMakeLists.txt, by their keyword."""
    script = cmake_lists.parent / "register.cmake"
    script.write_text(REGISTER)
    done = run(["cmake", f"-DFILE={cmake_lists}", "-P", script], cmake_lists.parent)
    script.unlink()
    assert (done.returncode, done.stderr) == (0, "")
    (words,) = re.findall(r"^-- component (.+)$", done.stdout, re.M)
    arguments: dict[str, list[str]] = {}
    for word in words.split(";"):
        if word in ("SRCS", "INCLUDE_DIRS"):
            arguments[word] = values = []
        else:
            values.append(word)
    return arguments


def test_component_is_packed(tmp_path: Path) -> None:
    """The component manager takes the manifest, and packs all that there is."""
    options = ("--version", "1.2.3", "--license", "Apache-2.0", "--url", "https://example.com/a")
    folder = make_package("esp-idf", tmp_path / "sine", *options, "--author", "Ada <ada@a.org>")
    files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    done = run(PACK, folder, variables=NO_NETWORK, timeout_s=120)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "warning" not in (done.stdout + done.stderr).lower()
    with tarfile.open(folder / "dist" / "sine_1.2.3.tgz") as archive:
        packed = {member.name.removeprefix("./") for member in archive if member.isfile()}
    assert files <= packed


def test_a_manifest_that_is_wrong_is_refused(tmp_path: Path) -> None:
    """The judge of the test above does judge."""
    folder = make_package("esp-idf", tmp_path / "sine")
    manifest = folder / "idf_component.yml"
    manifest.write_text(manifest.read_text().replace('version: "1.0.0"', 'version: "one"'))
    assert run(PACK, folder, variables=NO_NETWORK, timeout_s=120).returncode != 0


def test_sources_compile(tmp_path: Path) -> None:
    """With the compiler of an ESP32-class core, without a warning."""
    target = target_or_skip("xtensa_lx6")
    folder = make_package("esp-idf", tmp_path / "sine")
    arguments = registered(folder / "CMakeLists.txt")
    assert arguments["SRCS"] == ["src/sine_target.c", "src/sine.c"]
    include = [folder / name for name in arguments["INCLUDE_DIRS"]]
    for source in arguments["SRCS"]:
        output = tmp_path / f"{Path(source).stem}.o"
        command = target.toolchain.compile_command(folder / source, output, include=include)
        run_tool(command, where=source)
        assert output.is_file()


def test_example(tmp_path: Path) -> None:
    """A project of its own, whose main component finds this one beside it."""
    folder = make_package("esp-idf", tmp_path / "sine")
    main = folder / "examples" / "sine" / "main"
    assert registered(main / "CMakeLists.txt") == {"SRCS": ["main.c"]}
    (path,) = re.findall(r'override_path: "(.+)"', (main / "idf_component.yml").read_text())
    assert (main / path).resolve() == folder


def test_example_answers(tmp_path: Path) -> None:
    """The example's app_main(), called on this computer with the model compiled for it."""
    folder = make_package("esp-idf", tmp_path / "sine")
    model = make_package("c", tmp_path / "model", target="host")
    (tmp_path / "start.c").write_text("void app_main(void);\nint main(void) { app_main(); }\n")
    sources = [folder / "examples/sine/main/main.c", model / "src/sine.c", tmp_path / "start.c"]
    words = ["-Wall", "-Wextra", "-Werror", f"-I{folder / 'include'}", "-o", "example"]
    printed_by(["gcc", *words, *sources], tmp_path)
    printed = printed_by([tmp_path / "example"], tmp_path)
    assert answers_of(printed) == expected_answers(SINE / "sine.tflite")
