"""Follows a page as a reader would: writes the files that it shows, runs its commands in order.

A block of `sh` is commands.  A block without a language after it is what they print: a line `...`
stands for any lines, and the figures in the others are those of today, which `--write-pages` puts
there.  If what is shown has an error, the last of the commands fails.  A block of another language
is a file where the text before it ends with the file's name, as in "`main.c`:", or where its first
line is a comment that begins with the name.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.conftest import PROJECT
from tests.support.warm_python import warm_python

_BLOCK = re.compile(r"(?P<before>[^\n]*)\n\n```(?P<language>\w*)\n(?P<code>.*?)^```$", re.M | re.S)
_NAMED_BEFORE = re.compile(r"`([\w./-]*(?:\.\w+|Makefile|SConstruct))`:$")
_NAMED_INSIDE = re.compile(r"(?:#|//|/\*) ([\w./-]+\.\w+)\b")
_LANGUAGES_OF_FILES = {"c", "cpp", "toml", "python", "make", "cmake", "rust", "ini"}
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
_ANY_LINES = {"...", "…"}
PLACES = {"TinymlRules_DIR": str(PROJECT / "tinyml_rules" / "frontends" / "cmake")}
"""Where CMake finds what an activated environment has."""
TIMEOUT_S = 1200
"""Of one block: it ends what hangs, and judges nothing."""

Runs = Callable[[str, Path, int], str]
"""Runs commands in a folder with the status that they have to end with; returns what they print."""


@dataclass
class Followed:
    """What following a page gave: the page with today's figures, and the files that it shows."""

    page: str
    files: list[str] = field(default_factory=list)


def follow(page: str, folder: Path, *, runs: Runs | None = None) -> Followed:
    """Do what a page says in a folder.

    Raises AssertionError where a command ends otherwise than the page says, or prints other words.
    """
    run = runs or output_of
    followed = Followed(page)
    blocks = list(_BLOCK.finditer(page))
    printed, changes = "", []
    for block, after in zip(blocks, [*blocks[1:], None], strict=True):
        code, language = block["code"], block["language"]
        name = _file_of(block)
        if name:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(code, encoding="utf-8")
            followed.files.append(name)
        elif language == "sh":
            shows_error = after is not None and not after["language"] and "error: " in after["code"]
            printed = run(code, folder, 1 if shows_error else 0)
        elif not language and printed:
            changes.append((block.span("code"), with_figures(code, printed)))
    for (start, end), text in reversed(changes):
        followed.page = followed.page[:start] + text + followed.page[end:]
    return followed


def _file_of(block: re.Match[str]) -> str:
    before = _NAMED_BEFORE.search(block["before"])
    if before:
        return before[1]
    inside = _NAMED_INSIDE.match(block["code"])
    return inside[1] if inside and block["language"] in _LANGUAGES_OF_FILES else ""


def with_figures(shown: str, printed: str) -> str:
    """The lines shown, with the figures of those that were printed; a run of lines between two
    that stand for any is one run of what was printed, in the same order."""
    lines = printed.splitlines()
    found: list[str] = []
    place = 0
    for group in re.split(r"(?m)^( *(?:\.\.\.|…))$\n?", shown):
        if group.strip() in _ANY_LINES:
            found.append(group)
            continue
        wanted = group.splitlines()
        if wanted:
            at = _place_of(wanted, lines, place)
            assert at is not None, f"is not printed:\n{group}\nbut:\n{printed}"
            place = at + len(wanted)
            found += [line.rstrip() for line in lines[at:place]]
    return "".join(f"{line}\n" for line in found)


def _place_of(wanted: list[str], lines: list[str], start: int) -> int | None:
    """Where lines of the same words are; those with the same figures come first."""
    for words in (_same, _without_figures):
        pattern = [words(line) for line in wanted]
        for at in range(start, len(lines) - len(wanted) + 1):
            if [words(line) for line in lines[at : at + len(wanted)]] == pattern:
                return at
    return None


def _same(line: str) -> str:
    return " ".join(line.split())


def _without_figures(line: str) -> str:
    return re.sub(r"[\s-]+", " ", _NUMBER.sub("#", line)).replace("# kB", "# B").strip()


def hold(path: Path, shown: str, followed: Followed, request: pytest.FixtureRequest) -> None:
    """The page, or the part of it that was followed, shows what was printed; with `--write-pages`
    it is written instead."""
    if request.config.getoption("--write-pages"):
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace(shown, followed.page), encoding="utf-8")
    else:
        assert shown == followed.page


def tools(folder: Path) -> dict[str, str]:
    """An environment in which the page's `tinyml_rules` and `python` are this project's."""
    programs = folder / ".programs"
    programs.mkdir(exist_ok=True)
    script = programs / "python"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n', encoding="utf-8")
    script.chmod(0o755)
    own = (warm_python(search=str(PROJECT)) / "bin", programs, Path(sys.executable).parent)
    path = os.pathsep.join([*map(str, own), os.environ["PATH"]])
    return {**os.environ, "PATH": path, "PYTHONPATH": str(PROJECT), "HOME": str(folder), **PLACES}


def output_of(commands: str, folder: Path, status: int = 0) -> str:
    """What commands print; all but the last succeed, and that ends with a status."""
    done = subprocess.run(
        ["/bin/bash", "-euo", "pipefail", "-c", commands],
        cwd=folder,
        env=tools(folder),
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    assert done.returncode == status, f"{commands}\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr
