"""Follows a page as a reader would: writes the files that it shows, runs its commands in order.

A file is a block behind a text that ends with its name, as in "`main.c`:".  A block of commands is
one of `sh`; a block without a language behind it is what they print, where a line `...` stands for
any lines, and each line may have more blanks.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.conftest import PROJECT

_BLOCK = re.compile(r"(?P<before>[^\n]*)\n\n```(?P<language>\w*)\n(?P<code>.*?)^```$", re.M | re.S)
_FILE = re.compile(r"`([\w./-]+)`:$")
TIMEOUT_S = 120


def follow(page: str, folder: Path, *, instead: Mapping[str, str] | None = None) -> list[str]:
    """Do what a page says in a folder; returns the files that it shows.

    `instead` has other words for those of a command that cannot run in a test.
    """
    printed, files = "", []
    for block in _BLOCK.finditer(page):
        named = _FILE.search(block["before"])
        if named:
            (folder / named[1]).write_text(block["code"], encoding="utf-8")
            files.append(named[1])
            printed = ""
        elif block["language"] == "sh":
            printed = output_of(_words(block["code"], instead or {}), folder)
        elif not block["language"] and printed:
            assert _is_printed(block["code"], printed), f"{block['code']}\nnot in\n{printed}"
    return files


def tools(folder: Path) -> dict[str, str]:
    """An environment in which the page's `tinyml_rules` and `python` are this project's."""
    programs = folder / ".programs"
    programs.mkdir(exist_ok=True)
    for name, words in (("python", ""), ("tinyml_rules", "-m tinyml_rules")):
        script = programs / name
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}" {words} "$@"\n', encoding="utf-8")
        script.chmod(0o755)
    path = os.pathsep.join([str(programs), str(Path(sys.executable).parent), os.environ["PATH"]])
    return {**os.environ, "PATH": path, "PYTHONPATH": str(PROJECT), "HOME": str(folder)}


def _words(commands: str, instead: Mapping[str, str]) -> str:
    for words, others in instead.items():
        commands = commands.replace(words, others)
    return commands


def output_of(commands: str, folder: Path) -> str:
    """What commands print; none may fail."""
    done = subprocess.run(
        ["/bin/bash", "-euo", "pipefail", "-c", commands],
        cwd=folder,
        env=tools(folder),
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    assert done.returncode == 0, f"{commands}\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def _is_printed(shown: str, printed: str) -> bool:
    """Whether the lines shown are those printed, in order."""
    lines = [" ".join(line.split()) for line in shown.splitlines()]
    patterns = [".*" if line == "..." else re.escape(line) for line in lines]
    text = "\n".join(" ".join(line.split()) for line in printed.splitlines())
    return re.search("\n".join(patterns).replace("\n.*", "(?:\n.*)?"), text, re.S) is not None
