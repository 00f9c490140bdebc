"""Two builds in one folder at the same time: both end well, and with the same files."""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.frontends.builds import files_under, has_worked, scons, with_other_weight
from tests.frontends.conftest import Build
from tests.frontends.example_builds import MESON
from tests.frontends.stranger import (
    BARE_MAIN,
    answers,
    expected_answers,
    write_main,
    write_sconstruct,
)
from tests.frontends.test_clocks_and_caches import CMAKE
from tests.frontends.test_meson import snippets
from tests.support.hand_written import target_or_skip
from tests.support.warm_python import path_with, warm_python

Ended = tuple[int, str, str]


def at_once(
    command: Sequence[str | Path], folder: Path, *, count: int = 2, path: str = ""
) -> list[Ended]:
    """Start a command several times, then wait for all: (status, output, errors) of each."""
    return all_at_once([command] * count, folder, path=path)


def all_at_once(
    commands: Sequence[Sequence[str | Path]], folder: Path, *, path: str = ""
) -> list[Ended]:
    """The same of several commands."""
    variables = {**os.environ, "PATH": f"{path}{os.pathsep}{os.environ['PATH']}"}
    started = [
        subprocess.Popen(
            command,
            cwd=folder,
            env=variables,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for command in commands
    ]
    outputs = [process.communicate(timeout=300) for process in started]
    return [(process.returncode, *texts) for process, texts in zip(started, outputs, strict=True)]


def failed(ended: list[Ended]) -> list[Ended]:
    """Those that did not end well, or complained."""
    return [each for each in ended if (each[0], each[2]) != (0, "")]


def test_scons(folder: Path, build_: Build, installed_python: Path) -> None:
    """The second waits for the first, says so, and has nothing left to do."""
    target_or_skip("atmega328")
    (folder / "main.c").write_text(BARE_MAIN)
    lines = ('env.TinymlFirmware("sine.tflite")', 'env.Program("fw", ["main.c", "sine.tflite"])')
    write_sconstruct(folder, *lines)
    command: list[str | Path] = [installed_python, "-m", "SCons", "-Q", "target=atmega328"]
    for _ in range(2):
        ended = at_once(command, folder, count=3)
        assert failed(ended) == []
        assert sum("scons: waits for the build of process" in each[1] for each in ended) >= 1
        assert sum(map(has_worked, (each[1] for each in ended))) == 1
        assert not has_worked(build_(folder, "target=atmega328"))
        build_(folder, "target=atmega328", "-c")


def test_scons_after_one_that_was_killed(folder: Path, installed_python: Path) -> None:
    """The lock ends with the process; one that only looks takes and heeds none."""
    write_sconstruct(folder, 'env.Command("slow", "SConstruct", "touch begun && sleep 15")')
    command: list[str | Path] = [installed_python, "-m", "SCons", "-Q"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL) as first:
        for _ in range(300):
            if (folder / "begun").exists():
                break
            time.sleep(0.1)
        looked = scons(folder, "-n", python=installed_python)
        first.kill()
    assert (looked.returncode, looked.stderr) == (0, "")
    assert "waits" not in looked.stdout
    write_sconstruct(folder, 'env.TinymlModel("sine.tflite")')
    done = scons(folder, python=installed_python)
    assert (done.returncode, done.stderr) == (0, "")
    assert "waits" not in done.stdout


def test_scons_inside_of_scons(folder: Path, installed_python: Path) -> None:
    """A build that another one starts in its own folder does not wait for it."""
    write_sconstruct(
        folder,
        'env.TinymlModel("sine.tflite", "inner")',
        "if ARGUMENTS.get('outer'):",
        f'    env.AlwaysBuild(env.Command("run", [], "{installed_python} -m SCons -Q inner"))',
    )
    done = scons(folder, "outer=yes", "run", python=installed_python)
    assert (done.returncode, done.stderr) == (0, "")
    assert (folder / "inner" / "sine.c").is_file()


@pytest.mark.parametrize("words", [("compile",), ("package", "c")])
def test_command_line(words: tuple[str, ...], folder: Path, installed_python: Path) -> None:
    """Four into one folder, with a depfile and a stamp: nothing but the files is left."""
    program = warm_python(installed_python) / "bin" / "tinyml_rules"
    command: list[str | Path] = [program, *words, "sine.tflite", "--out"]
    notes = ["--depfile", "out/sine.d", "--stamp", "out/stamp"] if words == ("compile",) else []
    alone = [each.replace("out", "alone") for each in notes]
    assert failed(at_once([*command, "alone", *alone], folder, count=1)) == []
    expected = files_under(folder / "alone")
    for _ in range(3):
        assert failed(at_once([*command, "out", *notes], folder, count=4)) == []
        found = files_under(folder / "out")
        assert found == {name: data.replace(b"alone/", b"out/") for name, data in expected.items()}
        for name in found:
            (folder / "out" / name).unlink()


def test_make(folder: Path, installed_python: Path) -> None:
    """Two makes that both find the model missing, three times."""
    (folder / "Makefile").write_text(
        "include $(shell tinyml_rules where make)/tinyml.mk\n"
        "$(call tinyml_model,sine,sine.tflite,host)\nall: $(TINYML_SOURCES)\n"
    )
    path = str(warm_python(installed_python) / "bin")
    for _ in range(3):
        assert failed(at_once(["make"], folder, path=path)) == []
        assert (folder / "tinyml" / "sine" / "sine.c").is_file()
        done = at_once(["make", "tinyml-clean"], folder, count=1, path=path)
        assert failed(done) == []


PROJECT_OF_MESON = """\
project('fw', 'c')
{model}
executable('fw', ['main.c', sine[0], sine[1]])
"""
SYSTEMS: dict[str, tuple[str, ...]] = {
    "CMakeLists.txt": ("cmake", "-G", "Ninja", "-B"),
    "meson.build": (*MESON, "setup"),
}


@pytest.mark.parametrize(("file", "configure"), SYSTEMS.items())
def test_ninja(file: str, configure: tuple[str, ...], folder: Path, installed_python: Path) -> None:
    """Ninja has no lock, so that each has a build folder of its own, of one source tree: both are
    right, and after a change again.  In one folder the model is made without an error, and what
    the linkers of both leave is right after the next build."""
    page = snippets()[0].replace("models/", "").replace("'atmega328'", "'host'")
    meson = PROJECT_OF_MESON.format(model=page)
    (folder / file).write_text({"meson.build": meson, "CMakeLists.txt": CMAKE}[file])
    write_main(folder, "sine")
    path, builds = path_with(installed_python), ("one", "two")
    model = folder / "sine.tflite"
    configured = all_at_once([[*configure, build] for build in builds], folder, path=path)
    assert [status for status, *_ in configured] == [0, 0]
    for _ in range(2):
        ninjas = [["ninja", "-C", build] for build in builds]
        assert failed(all_at_once(ninjas, folder, path=path)) == []
        for build in builds:
            assert answers(folder / build / "fw") == expected_answers(model.read_bytes())
        model.write_bytes(with_other_weight(model.read_bytes()))
    alone = ["ninja", "-C", "one"]
    for _, printed, _ in at_once(alone, folder, path=path):
        assert not re.search(r"sine\.(tflite|[ch][:\d]+): error|FAILED: \S*sine\.[ch]\s", printed)
    ((status, *_),) = at_once(alone, folder, count=1, path=path)
    assert status == 0
    assert answers(folder / "one" / "fw") == expected_answers(model.read_bytes())
