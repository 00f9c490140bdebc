"""A clock that was ahead, and a cache of compilers whose entries are damaged: no old code is taken
for new without a word."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import pytest

from tests.frontends.builds import SINE, run, with_other_weight
from tests.frontends.stranger import answers, expected_answers, write_main
from tests.frontends.test_make import CALL, MAKEFILE
from tests.support.warm_python import path_with

CMAKE = """\
cmake_minimum_required(VERSION 3.20)
project(fw C)
find_package(TinymlRules REQUIRED NO_CMAKE_FIND_ROOT_PATH)
tinyml_add_model(sine MODEL sine.tflite TARGET host)
add_executable(fw main.c)
target_link_libraries(fw PRIVATE sine)
"""
RESULTS = "RM"
"""Last letters of the names of ccache's entries: results, and manifests of what they depend on."""
AHEAD_S = 3600.0
SKEW = "make: warning:  Clock skew detected.  Your build may be incomplete.\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A firmware of the sine model for this computer, for make and for CMake."""
    shutil.copy2(SINE / "sine.tflite", tmp_path)
    write_main(tmp_path, "sine")
    (tmp_path / "Makefile").write_text(MAKEFILE.format(calls=CALL.format(name="sine")))
    (tmp_path / "CMakeLists.txt").write_text(CMAKE)
    return tmp_path


def told(folder: Path, python: Path, *words: str | Path, cache: str = "cache") -> str:
    """What a command complains of, that succeeds."""
    variables = {"PATH": path_with(python), "CCACHE_DIR": str(folder.parent / cache)}
    done = run(words, folder, variables=variables)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stderr


def change_after_a_clock_that_was_ahead(folder: Path) -> list[int]:
    """Date all that is there in the future, then change the model; what it then should answer."""
    ahead = time.time() + AHEAD_S
    for file in folder.rglob("*"):
        if file.is_file():
            os.utime(file, (ahead, ahead))
    model = folder / "sine.tflite"
    model.write_bytes(with_other_weight(model.read_bytes()))
    return expected_answers(model.read_bytes())


def test_make_says_that_the_clock_was_ahead(folder: Path, installed_python: Path) -> None:
    """Make goes by dates alone, so that all that can help is to clean, as it tells."""
    assert told(folder, installed_python, "make") == ""
    expected = change_after_a_clock_that_was_ahead(folder)
    assert told(folder, installed_python, "make").endswith(SKEW)
    assert answers(folder / "fw") != expected, "or this page needs another sentence"
    told(folder, installed_python, "make", "clean")
    told(folder, installed_python, "make")
    assert answers(folder / "fw") == expected


def test_ninja_takes_the_other_model(folder: Path, installed_python: Path) -> None:
    """It knows when it ran, and what changed."""
    told(folder, installed_python, "cmake", "-B", "build", "-G", "Ninja")
    assert told(folder, installed_python, "cmake", "--build", "build") == ""
    expected = change_after_a_clock_that_was_ahead(folder)
    told(folder, installed_python, "cmake", "--build", "build")
    assert answers(folder / "build" / "fw") == expected


def test_ccache(folder: Path, installed_python: Path) -> None:
    """Its damaged entries are misses: the objects are those of the compiler."""
    if shutil.which("ccache") is None:
        pytest.skip("ccache is not installed")
    cache = folder.parent / "cache"

    def objects() -> dict[str, bytes]:
        for each in folder.rglob("*.o"):
            each.unlink()
        assert told(folder, installed_python, "make", "CC=ccache gcc") == ""
        return {each.name: each.read_bytes() for each in folder.rglob("*.o")}

    def misses() -> int:
        words = ("ccache", "--print-stats")
        text = run(words, folder, variables={"CCACHE_DIR": str(cache)}).stdout
        found = dict(line.split("\t") for line in text.splitlines())
        return int(found["cache_miss"])

    made = objects()
    assert set(made) == {"main.o", "sine.o"}
    assert (objects(), misses()) == (made, 2)
    entries = sorted(each for each in cache.rglob("*") if each.is_file())
    for number, entry in enumerate(each for each in entries if each.name[-1] in RESULTS):
        data = entry.read_bytes()
        middle = len(data) // 2
        wrong = bytes((data[middle] ^ 1,))
        entry.write_bytes(data[:middle] + (wrong + data[middle + 1 :] if number % 2 else b""))
    assert (objects(), misses()) == (made, 4)
