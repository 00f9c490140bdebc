"""Folders of this project, the files of its models, and how an error ends the command."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from SCons.Script import Exit

from models.zoo import obtain
from tinyml_rules.errors import TinymlError
from tinyml_rules.request.wording import worded

ROOT = Path(__file__).resolve().parent.parent
MODELS = ROOT / "models"
DOWNLOADS = ROOT / "build" / "models"
SPELLING = "scons-arguments"
"""How messages write options of the command line."""


def or_exit(function: Callable[[], Any]) -> Any:
    """The function's result; a TinymlError ends the whole command with its text and status."""
    try:
        return function()
    except TinymlError as error:
        print(worded(str(error), SPELLING), file=sys.stderr)
        return Exit(error.exit_status)


def obtain_for(env: Any, file: Any) -> Path:
    """Where a file of a model is, downloaded if need be."""
    return obtain(file, mirror=env["MIRROR"], cache=DOWNLOADS)
