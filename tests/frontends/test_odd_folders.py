"""Folders whose names have characters that a shell, Make or CMake takes for its own."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from tests.frontends.builds import SINE, copy_project, run
from tests.support.hand_written import target_or_skip

NAMES = ("a#b;c", 'it\'s $5 & "`more`" (x)')
SCONSTRUCT = """\
env = Environment(
    tools=["default", "tinyml"],
    toolpath=[PyPackageDir("tinyml_rules.frontends.scons")],
    TINYML_TARGET="atmega328",
    CPPPATH=["../include"],
    LIBPATH=["../library"],
    LIBS=["other"],
)
env.Library("../library/other", env.Object("../library/other.o", "other.c"))
env.Program("firmware", ["main.c", "sine.tflite"])
env.TinymlTest("sine_test", "sine.tflite", vectors="vectors.npz")
"""
MAIN = """\
#include "other.h"
#include "sine.h"

int main(void)
{
    for (;;) {
        *sine_input() = other();
        sine_invoke();
    }
}
"""


@pytest.mark.parametrize("name", NAMES)
def test_scons(name: str, tmp_path: Path) -> None:
    """A package, headers and a library outside the SConstruct's folder, so that all their paths are
    whole ones; the program, our own image and its test are built."""
    target_or_skip("atmega328")
    top = copy_project(tmp_path / name, parts=("tinyml_rules", "targets"))
    for each in ("include", "library", "firmware"):
        (top / each).mkdir()
    folder = top / "firmware"
    for file in ("sine.tflite", "vectors.npz"):
        shutil.copy2(SINE / file, folder)
    (top / "include" / "other.h").write_text("signed char other(void);\n")
    (folder / "other.c").write_text("signed char other(void)\n{\n    return 1;\n}\n")
    (folder / "main.c").write_text(MAIN)
    (folder / "SConstruct").write_text(SCONSTRUCT)
    command = [sys.executable, "-m", "SCons", "-Q", "..", "."]
    done = run(command, folder, variables={"PYTHONPATH": str(top)})
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert (folder / "firmware.elf").is_file()
    assert (folder / "build" / "atmega328" / "sine" / "sine_test.passed").is_file()
    again = run(command, folder, variables={"PYTHONPATH": str(top)})
    assert "up to date" in again.stdout


def test_make_includes_a_folder_with_a_blank(tmp_path: Path) -> None:
    """`where make` prints a path as `include` reads it."""
    top = copy_project(tmp_path / "a clone", parts=("tinyml_rules", "targets"))
    shutil.copy2(SINE / "sine.tflite", top)
    program = top / "tinyml_rules.sh"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m tinyml_rules "$@"\n')
    program.chmod(0o755)
    (top / "Makefile").write_text(
        "TINYML := ./tinyml_rules.sh\n"
        "include $(shell $(TINYML) where make)/tinyml.mk\n"
        "$(call tinyml_model,sine,sine.tflite,host)\n"
        "all: $(TINYML_SOURCES)\n"
    )
    done = run(["make"], top, variables={"PYTHONPATH": str(top)})
    assert (done.returncode, done.stderr) == (0, "")
    assert (top / "tinyml" / "sine" / "sine.c").is_file()
    assert run(["make", "-q"], top, variables={"PYTHONPATH": str(top)}).returncode == 0


@pytest.mark.parametrize("name", ["my model", "a;b", r"a\#b", "a$$b", "a&b", "it's"])
def test_make_refuses(name: str, installed_python: Path, tmp_path: Path) -> None:
    """One error, and nothing is made."""
    (tmp_path / "Makefile").write_text(
        "include $(shell tinyml_rules where make)/tinyml.mk\n"
        f"$(call tinyml_model,sine, {name}.tflite ,host)\n"
    )
    path = f"{installed_python.parent}:{os.environ['PATH']}"
    done = run(["make"], tmp_path, variables={"PATH": path})
    assert done.returncode == 2
    assert done.stderr.count("error:") == 1
    assert "is no path for Make, expected one without blanks and" in done.stderr
    assert [each.name for each in tmp_path.iterdir()] == ["Makefile"]


def test_cmake_refuses(installed_python: Path, tmp_path: Path) -> None:
    """A semicolon, which parts a list."""
    shutil.copy2(SINE / "sine.tflite", tmp_path / "a;b.tflite")
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.20)\nproject(node C)\n"
        "find_package(TinymlRules REQUIRED)\n"
        'tinyml_add_model(sine MODEL "a;b.tflite" TARGET host)\n'
    )
    path = f"{installed_python.parent}:{os.environ['PATH']}"
    done = run(["cmake", "-B", "build"], tmp_path, variables={"PATH": path})
    assert done.returncode == 1
    assert "a;b.tflite' is no path for CMake, expected one without ';'" in " ".join(
        done.stderr.split()
    )
