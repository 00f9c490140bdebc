"""Runs one external program and turns its failures into errors that name it."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

from tinyml_rules.errors import ToolError
from tinyml_rules.system.programs import find_program

_TOOL_TIMEOUT_S = 300.0
"""A compiler or linker that takes longer hangs."""


def run_tool(command: Sequence[str], *, where: str) -> str:
    """Run a tool to its end and return what it printed.

    Raises ToolError, with the tool's own message, if it is missing, fails or hangs.
    """
    done = run_program(command, where=where, timeout_s=_TOOL_TIMEOUT_S)
    if done.returncode != 0:
        message = done.stderr.decode(errors="replace").strip()
        raise ToolError.at(where, f"{Path(command[0]).name} failed:\n{message}")
    return done.stdout.decode(errors="replace")


def run_program(
    command: Sequence[str],
    *,
    where: str,
    timeout_s: float,
    folder: Path | None = None,
    input_bytes: bytes = b"",
) -> subprocess.CompletedProcess[bytes]:
    """Run a program in `folder`; any exit status is accepted; raises ToolError if it hangs."""
    program = find_program(command[0]) or command[0]
    try:
        return subprocess.run(
            [program, *command[1:]],
            cwd=folder,
            input=input_bytes,
            capture_output=True,
            timeout=timeout_s,
            check=False,
        )
    except FileNotFoundError as error:
        raise ToolError.at(where, f"'{command[0]}' is not installed") from error
    except subprocess.TimeoutExpired as error:
        raise ToolError.at(where, f"did not finish within {timeout_s:g} s") from error
