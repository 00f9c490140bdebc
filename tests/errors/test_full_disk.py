"""A disk that is full at any write: one error, no half-written file, and the next run is good.

A limit of the size of files is a full disk that needs no disk: writes beyond it fail."""

from __future__ import annotations

import os
import resource
import shutil
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from tests.frontends.builds import SINE, files_under
from tests.frontends.float_model import calibration, float_model
from tests.support.combined import target_or_skip
from tinyml_rules.cli import main

COMMANDS: Mapping[str, str] = {
    "compile": "compile sine.tflite --target atmega328 --out out --depfile out/sine.d "
    "--stamp out/stamp --quiet",
    "package": "package c sine.tflite --out out",
    "image": "image sine.tflite --target atmega328 --out out/sine.bin",
    "report": "report sine.tflite --target host --out out/sine.html",
    "manifest": "manifest sine.tflite gen/sine.report.json --out out/manifest.json",
    "quantize": "quantize small.tflite --calibration small.npy --out out/int8.tflite",
    "run": "run sine.tflite --target host --input in.npy --output out/y.npy --build-dir out/build",
    "init": "init make sine.tflite --target atmega328 --out out",
}
TRACE = "Traceback"
BUILD = "build/"
"""What a C compiler makes there is its own."""


def status_of(words: str, folder: Path, limit: int | None) -> tuple[int, str]:
    """(status, what was printed as errors) of a command in a process in which no file may have more
    than `limit` bytes."""
    read, write = os.pipe()
    process = os.fork()
    if process == 0:
        os.close(read)
        for stream in (1, 2):
            os.dup2(write, stream)
        os.chdir(folder)
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        status = 99
        try:
            import sys  # noqa: PLC0415 - of this process, without what pytest put there

            sys.stdout = os.fdopen(1, "w", closefd=False)
            sys.stderr = os.fdopen(2, "w", closefd=False)
            status = main(words.split())
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(status)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        said = pipe.read().decode()
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), said


@pytest.mark.parametrize("command", COMMANDS)
def test_full_disk(command: str, tmp_path: Path) -> None:
    """In the middle of the largest file, and, of what is compiled, of each, at nothing and at the
    end."""
    target_or_skip("host")
    shutil.copy2(SINE / "sine.tflite", tmp_path)
    np.save(tmp_path / "in.npy", np.zeros((1, 1), np.int8))
    if command == "quantize":
        (tmp_path / "small.tflite").write_bytes(float_model())
        np.save(tmp_path / "small.npy", calibration())
    if command == "manifest":
        assert status_of("compile sine.tflite --out gen --quiet", tmp_path, None)[0] == 0
    words = COMMANDS[command]
    (tmp_path / "out").mkdir()
    status, said = status_of(words, tmp_path, None)
    assert status == 0, said
    good = files_under(tmp_path / "out")
    sizes = {len(data) for data in good.values()}
    limits = {max(sizes) // 2}
    if command == "compile":
        limits |= {0, *(size // 2 for size in sizes), max(sizes) - 1}
    for limit in sorted(limits):
        shutil.rmtree(tmp_path / "out")
        (tmp_path / "out").mkdir()
        status, said = status_of(words, tmp_path, limit)
        assert status in (1, 2, 3), (limit, said)
        assert said.count("error:") >= 1 and TRACE not in said, (limit, said)
        left = files_under(tmp_path / "out")
        halves = [
            name
            for name, data in left.items()
            if not name.startswith(BUILD) and data != good.get(name)
        ]
        assert halves == [], limit
    status, said = status_of(words, tmp_path, None)
    assert status == 0, said
    again = files_under(tmp_path / "out")
    assert again.keys() == good.keys()
    assert {name for name in good if again[name] != good[name] and not name.startswith(BUILD)} == (
        set()
    )
