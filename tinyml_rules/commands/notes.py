"""Files that a command writes for build systems: a depfile, and a stamp that is new each time."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path

from tinyml_rules.system.depfile import FIRST_LINE, depfile_text
from tinyml_rules.system.files import write_anew


def for_build_systems(parser: argparse.ArgumentParser) -> argparse._ActionsContainer:
    """The group of the help that is for those alone."""
    return parser.add_argument_group("for build systems")


def add_depfile(parser: argparse._ActionsContainer, output: str) -> None:
    """`--depfile`; `output`: what help calls the file that depends on the others."""
    parser.add_argument(
        "--depfile",
        type=Path,
        metavar="FILE",
        help=f"write the files that {output} depends on, as a Make rule",
    )


def add_stamp(parser: argparse._ActionsContainer) -> None:
    """`--stamp`, for a command that leaves unchanged files alone."""
    parser.add_argument(
        "--stamp",
        type=Path,
        metavar="FILE",
        help="write an empty file each time, for builds in which unchanged outputs keep their "
        "dates; the rule of --depfile is then for this file",
    )


def write_depfile(file: Path | None, output: Path, read: Iterable[str | Path]) -> None:
    """The rule `output: read`, where it was asked for."""
    if file:
        text = depfile_text(str(output), [str(name) for name in read])
        write_anew(file, text, like=FIRST_LINE)


def write_stamp(file: Path | None) -> None:
    """Last of all: it says that all the rest is there."""
    if file:
        write_anew(file, "", like=r"\Z")
