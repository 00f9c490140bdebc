"""`where`: the folder with the files of a build system, for its own build files to load, or of the
schemas of TOML files."""

from __future__ import annotations

import argparse
from pathlib import Path

from tinyml_rules.commands.console import Console
from tinyml_rules.editors.schemas import SCHEMA_FOLDER

_FRONT_ENDS = Path(__file__).resolve().parents[1] / "frontends"
_SCHEMAS = "schemas"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    folders = (each for each in _FRONT_ENDS.iterdir() if each.is_dir())
    names = sorted(each.name for each in folders if not each.name.startswith("_"))
    names.append(_SCHEMAS)
    parser.add_argument(
        "front_end",
        choices=names,
        metavar="|".join(names),
        help="the build system, or the JSON schemas of our TOML files, for editors",
    )


def run(options: argparse.Namespace, console: Console) -> None:
    """Print the folder of the front end that was asked for, for Make as its `include` reads it."""
    is_schemas = options.front_end == _SCHEMAS
    folder = str(SCHEMA_FOLDER if is_schemas else _FRONT_ENDS / options.front_end)
    console.result(folder.replace(" ", r"\ ") if options.front_end == "make" else folder)
