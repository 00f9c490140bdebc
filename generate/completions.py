"""The scripts with which shells complete our commands, options and files.

The Python package shtab makes them.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import shtab

import tinyml_rules
from tinyml_rules.commands.completion import SHELLS, script_file
from tinyml_rules.commands.table import command_parser
from tinyml_rules.quantizer.options import QUANTIZE
from tinyml_rules.reporting.difference.read import SUFFIX
from tinyml_rules.request.options import OPTIONS
from tinyml_rules.target.target import target_names

PROJECT = Path(tinyml_rules.__file__).parents[1]

_FILES = {".tflite": "*.tflite", SUFFIX: f"*{SUFFIX}", ".npz": "*.npz"}
"""What is in a metavar or in a help, and the files that are meant."""


def completion_scripts() -> Mapping[str, str]:
    """{path from the project's folder: what the file has to hold}."""
    return {_path(shell): _script(shell) for shell in SHELLS}


def _path(shell: str) -> str:
    return script_file(shell).relative_to(PROJECT).as_posix()


def _script(shell: str) -> str:
    parser = command_parser(is_whole=True)
    names = target_names()
    for action in _actions(parser):
        _describe(action, names)
        if action.choices is None:
            _complete(action)
        if action.help:
            action.help = action.help.split("\n")[0].rstrip(":")
    return str(shtab.complete(parser, shell)).rstrip("\n") + "\n"


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
        action.choices = tuple(str(action.help).removeprefix("one of ").split(", "))
    elif option is not None and option.choices:
        action.choices = tuple(option.choices)


def _complete(action: argparse.Action) -> None:
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
