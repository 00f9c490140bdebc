"""Colours, and the line that tells what is done now: on a terminal alone."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.conftest import PROJECT
from tests.frontends.builds import SINE

SIZE = ("size", str(SINE / "sine.tflite"), "--target=host")
WRONG = ("inspect", "nothing.tflite")
ESCAPE = "\033"


def on_terminal(folder: Path, words: tuple[str, ...], **variables: str) -> tuple[str, str]:
    """What a command writes to a pipe, and to a terminal that is its standard error."""
    known = {"PATH": os.environ["PATH"], "PYTHONPATH": str(PROJECT), "TERM": "xterm", **variables}
    terminal, end = pty.openpty()
    done = command(words, folder, known, end)
    os.close(end)
    told = b""
    while chunk := _read(terminal):
        told += chunk
    os.close(terminal)
    return done.stdout, told.decode().replace("\r\n", "\n")


def command(
    words: tuple[str, ...], folder: Path, variables: Mapping[str, str], error: int
) -> subprocess.CompletedProcess[str]:
    """Our command line as a process of its own."""
    program = [sys.executable, "-m", "tinyml_rules", *words]
    return subprocess.run(
        program,
        cwd=folder,
        env=variables,
        stdout=subprocess.PIPE,
        stderr=error,
        text=True,
        check=False,
    )


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 4096)
    except OSError:  # nobody writes there any more
        return b""


def test_progress(tmp_path: Path) -> None:
    """Each target in the place of the one before, and nothing is left of it; standard output has
    the table alone."""
    printed, told = on_terminal(tmp_path, SIZE)
    assert told == "\r\033[K1 of 1: host\r\033[K"
    assert printed.startswith("sine: minimal firmware in bytes")
    assert ESCAPE not in printed
    assert on_terminal(tmp_path, SIZE, TERM="dumb") == (printed, "")


def test_stages(tmp_path: Path) -> None:
    """What a compilation is at: a long model takes a minute."""
    model = str(SINE / "sine.tflite")
    _, told = on_terminal(tmp_path, ("compile", model, "--target=host", "--quiet"))
    assert told.split("\r\033[K")[1:] == [
        "sine: reading 1,984 bytes",
        "sine: passes over 3 nodes",
        "sine: kernels for 1 node",
        "sine: memory of 1 node",
        "sine: C of 1 node",
        "",
    ]
    _, told = on_terminal(tmp_path, ("inspect", model))
    assert told.endswith("\r\033[Ksine: judging 3 nodes\r\033[K")


def test_colours(tmp_path: Path) -> None:
    """Of the words alone; who refuses them has the same text without."""
    _, told = on_terminal(tmp_path, WRONG)
    _, plain = on_terminal(tmp_path, WRONG, TERM="dumb")
    assert plain.startswith("nothing.tflite: error: ")
    assert ESCAPE not in plain
    assert told == f"\r\033[K{plain.replace('error', f'{ESCAPE}[1m{ESCAPE}[31merror{ESCAPE}[0m')}"
    _, refused = on_terminal(tmp_path, WRONG, NO_COLOR="1")
    assert refused == f"\r\033[K{plain}"


def test_file(tmp_path: Path) -> None:
    """No escape in a file, whatever the terminal."""
    variables = {**os.environ, "TERM": "xterm", "PYTHONPATH": str(PROJECT)}
    with (tmp_path / "log").open("w") as log:
        command(WRONG, tmp_path, variables, log.fileno())
    text = (tmp_path / "log").read_text()
    assert text.startswith("nothing.tflite: error: ")
    assert ESCAPE not in text
