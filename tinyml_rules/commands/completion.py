"""`completion`: what a shell has to know to complete our commands, options and files.

The script is made once and runs nothing of ours: starting Python takes longer than a key press.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType

from tinyml_rules.errors import ToolError
from tinyml_rules.package.kinds import KINDS
from tinyml_rules.quantize.options import QUANTIZE
from tinyml_rules.report.difference.read import SUFFIX
from tinyml_rules.request.options import OPTIONS
from tinyml_rules.target.target import target_names

SHELLS = ("bash", "zsh", "fish")
_FILES = {".tflite": "*.tflite", SUFFIX: f"*{SUFFIX}", ".npz": "*.npz"}
"""What is in a metavar or in a help, and the files that are meant."""


def add_completion(parser: argparse.ArgumentParser) -> None:
    """The shell."""
    parser.add_argument("shell", choices=SHELLS, help=f"one of {', '.join(SHELLS)}")


def completion_text(options: argparse.Namespace, parser: argparse.ArgumentParser) -> str:
    """The script for a shell and the commands of `parser`.  Raises ToolError where the package that
    writes it is not installed."""
    try:
        import shtab  # noqa: PLC0415 - an extra, and seldom needed
    except ImportError as error:
        install = shlex.join([sys.executable, "-m", "pip", "install", "shtab"])
        raise ToolError.at(
            "completion", "needs the Python package shtab", hint=f"run: {install}"
        ) from error
    names = target_names()
    for action in _actions(parser):
        _describe(action, names)
        if action.choices is None:
            _complete(action, shtab)
    return shtab.complete(parser, options.shell).rstrip("\n")


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """The arguments of every command."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for each in action.choices.values():
                yield from _actions(each)
        else:
            yield action


def _describe(action: argparse.Action, targets: Iterable[str]) -> None:
    """Give an argument the words that it may be, where it only checks them later."""
    option = {**QUANTIZE, **OPTIONS}.get(action.dest)
    if "--target" in action.option_strings:
        action.choices = tuple(targets)
    elif action.dest == "kind":
        action.choices = tuple(KINDS)
    elif option is not None and option.choices:
        action.choices = tuple(option.choices)


def _complete(action: argparse.Action, shtab: ModuleType) -> None:
    """Give it the files that it may be."""
    text = f"{action.metavar} {action.help}"
    pattern = next((glob for word, glob in _FILES.items() if word in text), "")
    if pattern:
        # of a pattern in brackets zsh makes the only thing that may stand there
        found = {**shtab.glob(pattern), "zsh": f"_files -g \\{pattern}"}
    elif action.metavar == "DIR" or "folder" in text:
        found = shtab.DIRECTORY
    elif action.type is Path or action.metavar == "FILE":
        found = shtab.FILE
    else:
        return
    vars(action)["complete"] = found  # where shtab looks
