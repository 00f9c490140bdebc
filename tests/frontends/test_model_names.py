"""The name that a model gets from its file: shown where it differs, and told where two have one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.frontends.builds import Done, has_worked, run, scons
from tests.frontends.conftest import Build
from tests.frontends.stranger import (
    answers,
    expected_answers,
    other_model,
    write_main,
    write_sconstruct,
)
from tests.support.warm_python import path_with

NAMED = 'env.Object("two/model.tflite", TINYML_NAME="two_model")'


@pytest.fixture
def two(folder: Path) -> Path:
    """A folder with one/model.tflite and two/model.tflite, which is another one."""
    for name in ("one", "two"):
        (folder / name).mkdir()
    other_model(folder, "two/model.tflite")
    (folder / "sine.tflite").rename(folder / "one" / "model.tflite")
    return folder


@pytest.mark.parametrize(
    "lines",
    [
        ['env.Program("fw", ["main.c", "one/model.tflite", "two/model.tflite"])'],
        ['env.TinymlLibrary("models", ["one/model.tflite", "two/model.tflite"])'],
        ['env.TinymlFirmware("one/model.tflite")', 'env.TinymlFirmware("two/model.tflite")'],
        ['env.TinymlModel("one/model.tflite", "a")', 'env.TinymlModel("two/model.tflite", "b")'],
        ['env.Object("one/model.tflite")', 'env.Clone().Object("two/model.tflite")'],
    ],
)
def test_two_of_one_name(lines: Sequence[str], two: Path, installed_python: Path) -> None:
    """One error that names both files and what to write; nothing is compiled."""
    write_sconstruct(two, *lines)
    done = scons(two, python=installed_python)
    assert done.stderr.startswith(
        "\nscons: *** two/model.tflite: error: its name 'model' is also that of one/model.tflite, "
        "expected another one in this environment\n"
        "  hint: set one for it: env.Object('two/model.tflite', TINYML_NAME='two_model')\n"
    )
    assert (done.returncode, has_worked(done.stdout)) == (2, False)


def test_two_of_one_name_as_the_hint_says(two: Path, build_: Build) -> None:
    """Both in one program: its source finds either header, and each gives TFLM's answers."""
    write_main(two, "model", "two_model")
    write_sconstruct(two, f'env.Program("fw", ["main.c", "one/model.tflite", {NAMED}])')
    assert "TINYML  model.tflite as two_model " in build_(two)
    both = answers(two / "fw")
    for number, name in enumerate(("one", "two")):
        model = (two / name / "model.tflite").read_bytes()
        assert both[number::2] == expected_answers(model)


def test_two_of_one_name_apart(two: Path, build_: Build) -> None:
    """In firmwares of our own, in folders of their own, nothing confuses them."""
    write_sconstruct(
        two,
        *(f'env.TinymlFirmware("{name}/model.tflite", "out/{name}")' for name in ("one", "two")),
    )
    build_(two)
    sources = [(two / "out" / name / "model.c").read_text() for name in ("one", "two")]
    assert sources[0] != sources[1]


def test_name_is_shown(folder: Path, build_: Build) -> None:
    """Where it is not what the file is called, and only there."""
    (folder / "my-model.v2.tflite").write_bytes((folder / "sine.tflite").read_bytes())
    write_sconstruct(folder, 'env.Library("models", ["sine.tflite", "my-model.v2.tflite"])')
    printed = build_(folder)
    assert "TINYML  sine.tflite " in printed
    assert "TINYML  my-model.v2.tflite as my_model_v2 " in printed
    assert (folder / "build" / "host" / "my_model_v2" / "my_model_v2.h").is_file()


def with_path(python: Path, folder: Path, *command: str) -> Done:
    """Run a command as in an activated environment."""
    variables = {"PATH": path_with(python)}
    return run(command, folder, variables=variables)


def test_cmake(two: Path, installed_python: Path) -> None:
    """Two calls with one name."""
    calls = [
        f"tinyml_add_model(model MODEL {name}/model.tflite TARGET host)" for name in ("one", "two")
    ]
    (two / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.20)\nproject(fw C)\n"
        "find_package(TinymlRules REQUIRED)\n" + "\n".join(calls) + "\n"
    )
    done = with_path(installed_python, two, "cmake", "-B", "build")
    assert "tinyml_add_model(model): error: there is a target 'model' already" in done.stderr
    assert done.returncode != 0


def test_make(two: Path, installed_python: Path) -> None:
    """The same."""
    calls = [f"$(call tinyml_model,model,{name}/model.tflite,host)" for name in ("one", "two")]
    (two / "Makefile").write_text(
        "include $(shell tinyml_rules where make)/tinyml.mk\n" + "\n".join(calls) + "\nall:\n"
    )
    done = with_path(installed_python, two, "make")
    assert "tinyml_model: error: there is a model 'model' already" in done.stderr
    assert done.returncode == 2
