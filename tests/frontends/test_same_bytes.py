"""One model through every front end: the C is the same, byte for byte."""

from __future__ import annotations

from pathlib import Path

from tests.bazel.builds import compile_through_bazel
from tests.frontends.builds import SINE, build, copy_project, run
from tests.frontends.conftest import Build
from tests.frontends.example_builds import (
    compile_through_cmake,
    compile_through_make,
    compile_through_meson,
)
from tests.frontends.node import copy_example
from tests.frontends.platformio_builds import PlatformIO, compile_through_platformio
from tests.frontends.rtthread_builds import compile_through_rtthread
from tests.package.package_builds import TARGETS, compile_through_package
from tinyml_rules.compiler import compile_model
from tinyml_rules.ir.interface import ArenaMode
from tinyml_rules.package.kinds import KINDS
from tinyml_rules.request.request import Request
from tinyml_rules.target.target import load_target

TARGET = "atmega328"
ARENAS = {"rust": ArenaMode.CALLER}
"""Where a package's model has its memory: by default in a variable of its own."""


def expected(target: str, arena: ArenaMode = ArenaMode.STATIC) -> dict[str, bytes]:
    """What the compiler itself gives."""
    model = (SINE / "sine.tflite").read_bytes()
    files = compile_model(Request(model, "sine", load_target(target), arena=arena)).files
    return {name: files[name].encode() for name in ("sine.c", "sine.h")}


def found(folder: Path) -> dict[str, bytes]:
    """What a front end left in a folder."""
    return {name: (folder / name).read_bytes() for name in ("sine.c", "sine.h")}


def through_command_line(folder: Path, python: Path) -> Path:
    """By `compile`, from the installed package."""
    words = ["compile", str(SINE / "sine.tflite"), "--target", TARGET, "--out", "out"]
    folder.mkdir()
    done = run([python, "-m", "tinyml_rules", *words], folder)
    assert done.returncode == 0, done.stderr
    return folder / "out"


def through_scons(folder: Path, build_: Build) -> Path:
    """By an SConstruct that is not ours."""
    example = copy_example("scons", folder)
    build_(example)
    return example / "build" / TARGET / "sine"


def through_this_project(folder: Path) -> Path:
    """By this repository's own SConstruct."""
    project = copy_project(folder)
    build(project, f"target={TARGET}")
    return project / "build" / TARGET / "sine"


def test_every_front_end(
    tmp_path: Path, build_: Build, installed_python: Path, platformio: PlatformIO
) -> None:
    """For one part, where a front end can be used for any, and for another where it cannot."""
    python = installed_python
    folders = {
        "command line": through_command_line(tmp_path / "command line", python),
        "scons": through_scons(tmp_path / "scons", build_),
        "this project": through_this_project(tmp_path / "project"),
        "bazel": compile_through_bazel(tmp_path / "bazel"),
        "platformio": compile_through_platformio(tmp_path / "platformio", platformio),
        "rtthread": compile_through_rtthread(tmp_path / "rtthread", python),
        "cmake": compile_through_cmake(tmp_path / "cmake", python=python),
        "make": compile_through_make(tmp_path / "make", python=python),
        "meson": compile_through_meson(tmp_path / "meson", python=python),
    }
    by_kind = {kind: compile_through_package(tmp_path / kind, kind) for kind in KINDS}
    differ = [name for name, folder in folders.items() if found(folder) != expected(TARGET)]
    for kind, folder in by_kind.items():
        arena = ARENAS.get(kind, ArenaMode.STATIC)
        differ += [kind] * (found(folder) != expected(TARGETS[kind], arena))
    assert differ == []
    assert (len(folders), len(by_kind)) == (9, 6)
