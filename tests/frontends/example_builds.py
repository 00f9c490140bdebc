"""The example of each build system that runs our command line, built as a stranger builds it."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.frontends.builds import Done, run
from tests.frontends.node import copy_example
from tests.support.warm_python import path_with, warm_in_cmake

COMPILED = re.compile(r"Compiling model sine|Generating sine|tinyml_rules compile .*sine")
"""What CMake, Meson and Make print for the step that is ours."""
_OBJECT = re.compile(r"(sine|main|board_atmega328)(?:\.c)?\.o(?:bj)?$")
MESON = (sys.executable, "-m", "mesonbuild.mesonmain")


@dataclass(frozen=True)
class System:
    """The example's folder, the commands that set it up and build it, and where things then lie."""

    example: str
    set_up: tuple[str, ...]
    build: tuple[str, ...]
    generated: str
    elf: str


def _cmake(generator: str) -> System:
    set_up = ("cmake", "-B", "build", "-DCMAKE_TOOLCHAIN_FILE=avr.cmake", "-G", generator)
    return System(
        "cmake", set_up, ("cmake", "--build", "build"), "build/tinyml/sine", "build/node.elf"
    )


SYSTEMS = {
    "cmake": _cmake("Ninja"),
    "cmake with make": _cmake("Unix Makefiles"),
    "make": System("make", (), ("make",), "tinyml/sine", "node.elf"),
    "meson": System(
        "meson",
        (*MESON, "setup", "build", "--cross-file", "avr.ini"),
        ("ninja", "-C", "build"),
        "build",
        "build/node.elf",
    ),
}


@dataclass(frozen=True)
class Project:
    """A copy of an example, and the installed Python with whose environment it is built."""

    system: System
    folder: Path
    variables: Mapping[str, str]

    @property
    def model(self) -> Path:
        """The model that it compiles."""
        return self.folder.parent / "node" / "sine.tflite"

    @property
    def generated(self) -> Path:
        """The folder of sine.c and sine.h."""
        return self.folder / self.system.generated

    @property
    def elf(self) -> Path:
        """The firmware."""
        return self.folder / self.system.elf

    def run(self, *command: str) -> Done:
        """Run a command in the project's folder, whatever comes of it."""
        return run(command, self.folder, variables=self.variables)

    def build(self, *options: str) -> list[str]:
        """Build; returns what was made anew, sorted: `model`, the objects' stems, `link`."""
        before = self._dates()
        done = self.run(*self.system.build, *options)
        assert done.returncode == 0, done.stdout + done.stderr
        compiled = ["model"] if COMPILED.search(done.stdout) else []
        after = self._dates()
        return sorted([*compiled, *(name for name in after if after[name] != before.get(name))])

    def _dates(self) -> dict[str, int]:
        dates = {}
        for path in self.folder.rglob("*.o*"):
            found = _OBJECT.search(path.name)
            if found:
                dates[found[1]] = path.stat().st_mtime_ns
        if self.elf.is_file():
            dates["link"] = self.elf.stat().st_mtime_ns
        return dates


def set_up_example(system: System, folder: Path, *, python: Path, is_warm: bool = True) -> Project:
    """A project in `folder`, which is made, with nothing built.  `python`: that of an environment
    with the package, which counts as activated, and whose program may be warm."""
    path = path_with(python, is_warm=is_warm)
    project = Project(system, copy_example(system.example, folder), {"PATH": path})
    if system.set_up:
        # CMake looks beside its own file first
        cmake = [warm_in_cmake(python)] if is_warm and system.example == "cmake" else []
        done = project.run(*system.set_up, *cmake)
        assert done.returncode == 0, done.stdout + done.stderr
    return project


def _compile_through(system: System, folder: Path, python: Path) -> Path:
    project = set_up_example(system, folder, python=python)
    project.build()
    return project.generated


def compile_through_cmake(folder: Path, *, python: Path) -> Path:
    """Build the example in `folder` with CMake and Ninja; the folder of sine.c and sine.h."""
    return _compile_through(SYSTEMS["cmake"], folder, python)


def compile_through_make(folder: Path, *, python: Path) -> Path:
    """The same with Make."""
    return _compile_through(SYSTEMS["make"], folder, python)


def compile_through_meson(folder: Path, *, python: Path) -> Path:
    """The same with Meson."""
    return _compile_through(SYSTEMS["meson"], folder, python)
