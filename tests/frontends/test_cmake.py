"""What CMake alone has: how the package is found, every option, ctest, and mistakes."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import PROJECT, ZooModel
from tests.frontends.builds import SINE, Done, files_under, run, with_other_weight
from tests.frontends.example_builds import SYSTEMS, set_up_example
from tests.frontends.node import check_node
from tests.frontends.stranger import answers, expected_answers, other_model, write_main
from tests.plan.test_regions import part
from tests.support.hand_written import target_or_skip
from tinyml_rules import __version__
from tinyml_rules.cli import main
from tinyml_rules.model_file.writer import build_model
from tinyml_rules.ops.conv_2d.cases import conv

HEAD = "cmake_minimum_required(VERSION 3.20)\nproject(firmware C)\n"
FIND = "find_package(TinymlRules REQUIRED)\n"
MODEL = "tinyml_add_model(sine MODEL sine.tflite TARGET host)\n"
ARM_TOOLCHAIN = """\
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR cortex-m0plus)
set(CMAKE_C_COMPILER arm-none-eabi-gcc)
set(CMAKE_C_FLAGS_INIT "-mcpu=cortex-m0plus -mthumb")
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_FIND_ROOT_PATH "${CMAKE_CURRENT_LIST_DIR}/root")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
"""
PROGRAM = "add_executable(fw main.c)\ntarget_link_libraries(fw PRIVATE sine)\n"

SPELLING = ("--spelling", "cmake")

CMake = Callable[..., Done]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A stranger's folder with the sine model and a program that prints its answers."""
    path = tmp_path / "firmware"
    path.mkdir()
    shutil.copy2(SINE / "sine.tflite", path)
    write_main(path, "sine")
    return path


@pytest.fixture
def cmake(folder: Path, installed_python: Path) -> CMake:
    """A function that writes CMakeLists.txt and configures, in an activated environment or not."""

    def cmake_(text: str, *options: str, is_activated: bool = True) -> Done:
        (folder / "CMakeLists.txt").write_text(HEAD + text)
        folders = os.environ["PATH"].split(os.pathsep)
        path = os.pathsep.join(each for each in folders if not Path(each, "tinyml_rules").exists())
        variables = {"PATH": f"{installed_python.parent}:{path}" if is_activated else path}
        return run(["cmake", "-B", "build", *options], folder, variables=variables)

    return cmake_


def build(folder: Path, *options: str) -> None:
    """Build what was configured, outside of the environment; nothing may go wrong."""
    done = run(["cmake", "--build", "build", *options], folder)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr


def must(done: Done) -> Done:
    """A command that succeeded, without a warning."""
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    return done


def test_options(folder: Path, cmake: CMake, zoo_model: ZooModel) -> None:
    """Each reaches the compiler: the files are those of the command line."""
    shutil.copy2(zoo_model("speech"), folder)
    part(folder)
    models = {
        "layer": "host SCHEDULE layer RAM 5000 CHECKED",
        "away": "host PREFIX far ARENA caller WEIGHTS external PAGE 32",
        "rows": "host PUSH_ROWS ARENA shared",
        "mine": "part TARGETS targets PLACE 3=fast",
    }
    calls = [
        f"tinyml_add_model({name} MODEL speech.tflite TARGET {options})\n"
        for name, options in models.items()
    ]
    must(cmake(FIND + "".join(calls)))
    build(folder, "--target", *(f"{name}_tinyml" for name in models))
    lines = {
        "layer": "--name layer --schedule layer --ram 5000 --checked",
        "away": "--name far --arena caller --weights external --page 32",
        "rows": "--name rows --push-rows --arena shared",
        "mine": f"--name mine --target part --targets {folder}/targets --place 3=fast",
    }
    for name, line in lines.items():
        out = folder / "expected" / name
        model = str(folder / "speech.tflite")
        assert main(["compile", model, "--out", str(out), "--quiet", *line.split(), *SPELLING]) == 0
        found, expected = files_under(folder / "build" / "tinyml" / name), files_under(out)
        assert {file: found[file] for file in expected} == expected


def test_two_models(folder: Path, cmake: CMake) -> None:
    """In one program, at eight jobs, from a folder below it; the second is made by another rule of
    the project.  Each gives TFLM's answers."""
    data = other_model(folder, "other.tflite")
    write_main(folder, "sine", "other")
    (folder / "models").mkdir()
    (folder / "models" / "CMakeLists.txt").write_text(
        "add_custom_command(OUTPUT trained.tflite DEPENDS ../other.tflite\n"
        "  COMMAND cmake -E copy ${CMAKE_SOURCE_DIR}/other.tflite trained.tflite)\n"
        "tinyml_add_model(sine MODEL ../sine.tflite TARGET host)\n"
        'tinyml_add_model(other MODEL "${CMAKE_CURRENT_BINARY_DIR}/trained.tflite" TARGET host)\n'
    )
    libraries = "target_link_libraries(fw PRIVATE other)\n"
    must(cmake(f"{FIND}add_subdirectory(models)\n{PROGRAM}{libraries}"))
    build(folder, "-j8")
    expected = zip(
        expected_answers((folder / "sine.tflite").read_bytes()),
        expected_answers(data),
        strict=True,
    )
    assert answers(folder / "build" / "fw") == [each for pair in expected for each in pair]


def test_flags_are_the_projects(tmp_path: Path, installed_python: Path) -> None:
    """An older standard without extensions, every warning an error: the model is clean, and gets
    what it needs of GNU C."""
    target_or_skip("atmega328")
    project = set_up_example(SYSTEMS["cmake"], tmp_path / "copy", python=installed_python)
    flags = "-mmcu=atmega328p -O2 -Wall -Wextra -Werror -Wconversion"
    standard = ("-DCMAKE_C_STANDARD=99", "-DCMAKE_C_EXTENSIONS=OFF")
    must(project.run("cmake", "-B", "build", f"-DCMAKE_C_FLAGS={flags}", *standard))
    project.build()
    check_node(project.elf)


def test_test(tmp_path: Path, installed_python: Path) -> None:
    """ctest runs the model on the emulated part, and fails once a weight has changed."""
    target_or_skip("atmega328")
    project = set_up_example(SYSTEMS["cmake"], tmp_path / "copy", python=installed_python)
    shutil.copy2(SINE / "vectors.npz", project.folder)
    with (project.folder / "CMakeLists.txt").open("a") as file:
        file.write("enable_testing()\ntinyml_add_test(exact MODEL sine VECTORS vectors.npz)\n")
    project.build()
    ctest = ("ctest", "--test-dir", "build", "--verbose")
    assert "sine on atmega328: 256 samples equal" in must(project.run(*ctest)).stdout
    project.model.write_bytes(with_other_weight(project.model.read_bytes()))
    done = project.run(*ctest)
    assert done.returncode != 0
    assert re.search(r"1: sine on atmega328: error: sample \d+: output 'sine/output'", done.stdout)


def test_environment_that_is_not_activated(
    folder: Path, cmake: CMake, installed_python: Path
) -> None:
    """The folder that `where cmake` names is enough."""
    assert cmake(FIND, is_activated=False).returncode != 0
    program = installed_python.with_name("tinyml_rules")
    where = must(run([program, "where", "cmake"], folder)).stdout.strip()
    must(cmake(FIND + MODEL + PROGRAM, f"-DTinymlRules_DIR={where}", is_activated=False))
    build(folder)


@pytest.mark.parametrize("how", ["documented", "checkout"])
def test_toolchain_file_that_looks_for_packages_of_the_part(
    how: str, folder: Path, cmake: CMake
) -> None:
    """As the Pico SDK's does: CMAKE_FIND_ROOT_PATH_MODE_PACKAGE is ONLY."""
    target_or_skip("rp2040")
    (folder / "root").mkdir()
    (folder / "arm.cmake").write_text(ARM_TOOLCHAIN)
    page = (PROJECT / "docs" / "build_systems" / "cmake.md").read_text(encoding="utf-8")
    (line,) = re.findall(r"^find_package\(TinymlRules .*\n", page, re.M)
    if how == "checkout":
        line = f'add_subdirectory("{PROJECT}/tinyml_rules/frontends/cmake" tinyml)\n'
    python = f"-DPython3_EXECUTABLE={sys.executable}" if how == "checkout" else ""
    model = MODEL.replace("host", "rp2040")
    must(cmake(line + model, "--toolchain", "arm.cmake", *filter(None, [python])))
    build(folder)
    done = run(["arm-none-eabi-objdump", "-f", "libsine.a"], folder / "build")
    assert "architecture: armv6s-m" in must(done).stdout


@pytest.mark.parametrize(
    "how",
    [
        f'add_subdirectory("{PROJECT}/tinyml_rules/frontends/cmake" tinyml)\n',
        f'include(FetchContent)\nFetchContent_Declare(tinyml SOURCE_DIR "{PROJECT}"\n'
        "  SOURCE_SUBDIR tinyml_rules/frontends/cmake)\nFetchContent_MakeAvailable(tinyml)\n",
    ],
    ids=["add_subdirectory", "FetchContent"],
)
def test_checkout(how: str, folder: Path, cmake: CMake) -> None:
    """A checkout is as good, with a Python that has what the package needs."""
    python = f"-DPython3_EXECUTABLE={sys.executable}"
    must(cmake(how + MODEL + PROGRAM, python))
    build(folder)
    assert answers(folder / "build" / "fw") == expected_answers(
        (folder / "sine.tflite").read_bytes()
    )


@pytest.mark.parametrize(
    ("version", "is_found"), [(__version__, True), ("0.2", True), ("0.1.9", False), ("1.0", False)]
)
def test_version(version: str, is_found: bool, cmake: CMake) -> None:
    """That of the Python package; another minor version is another one."""
    done = cmake(f"find_package(TinymlRules {version})\nmessage(STATUS ${{TinymlRules_VERSION}})\n")
    assert done.returncode == 0
    assert (f"-- {__version__}\n" in done.stdout) == is_found


def test_model_that_does_not_fit(folder: Path, cmake: CMake) -> None:
    """What would take less is told as tinyml_add_model takes it; with it, it does."""
    tall = conv((1, 40, 32, 2), (3, 3), outputs=2, strides=(2, 2))
    (folder / "tall.tflite").write_bytes(build_model(tall))
    call = "tinyml_add_model(tall MODEL tall.tflite TARGET atmega328{})\n"
    must(cmake(FIND + call.format("")))
    done = run(["cmake", "--build", "build", "--target", "tall_tinyml"], folder)
    assert done.returncode != 0
    told = re.search(r"\n    PUSH_ROWS: (\d{3}) bytes of RAM\n", done.stderr)
    assert told
    must(cmake(FIND + call.format(" PUSH_ROWS")))
    build(folder, "--target", "tall_tinyml")
    report = json.loads((folder / "build/tinyml/tall/tall.report.json").read_text())
    assert report["model_ram_bytes"] == int(told[1])


def test_without_the_program(folder: Path, cmake: CMake) -> None:
    """Files without a package are not found, and say why."""
    shutil.copytree(PROJECT / "tinyml_rules" / "frontends" / "cmake", folder / "files")
    done = cmake(FIND, f"-DTinymlRules_DIR={folder}/files", is_activated=False)
    assert done.returncode != 0
    assert "The compiler does not run: TinymlRules_PROGRAM-NOTFOUND --version" in done.stderr


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (
            "tinyml_add_model(sine MODEL sine.tflite TARGTE host)",
            "tinyml_add_model(sine): error: unknown 'TARGTE;host'",
        ),
        ("tinyml_add_model(sine MODEL sine.tflite)", "tinyml_add_model(sine): error: lacks TARGET"),
        (
            "tinyml_add_model(sine MODEL sine.tflite TARGET host RAM)",
            "tinyml_add_model(sine): error: no value for RAM",
        ),
        (
            f"{MODEL}tinyml_add_test(exact MODEL snie VECTORS v.npz)",
            "tinyml_add_test(exact): error: 'snie' is not made by tinyml_add_model",
        ),
    ],
)
def test_mistake(call: str, error: str, cmake: CMake) -> None:
    """Told when it is configured."""
    done = cmake(f"{FIND}{call}\n")
    assert done.returncode != 0
    assert error in " ".join(done.stderr.split())
