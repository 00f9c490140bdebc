"""Which of a target's tools are missing on this computer, and what installs them.

Runs nothing.  Standard library only, like `target.py`.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from tinyml_rules.errors import ToolError
from tinyml_rules.target import Target, Tool

_INCLUDE_FOLDERS = tuple(
    Path(folder) for folder in ("/usr/include", "/usr/local/include", "/usr/lib/avr/include")
)


def missing_tools(target: Target) -> tuple[Tool, ...]:
    """The tools of `target` that this computer lacks: programs on the path, headers of C."""
    return tuple(tool for tool in target.tools if not _is_installed(tool.program))


def install_command(tools: Sequence[Tool]) -> str:
    """What installs `tools`: one command on Debian and Ubuntu; where they have no package of any,
    the words that say who has it."""
    packages = sorted({tool.package for tool in tools if tool.package})
    if packages:
        return f"sudo apt-get install --yes {' '.join(packages)}"
    return f"install {'; '.join(dict.fromkeys(tool.vendor for tool in tools))}"


def require_tools(target: Target) -> None:
    """Raise a ToolError that names every missing tool and what installs them."""
    missing = missing_tools(target)
    if missing:
        names = ", ".join(f"{tool.program} ({_origin(tool)})" for tool in missing)
        command = install_command(missing)
        hint = command if command.startswith("install ") else f"run: {command}"
        raise ToolError.at(target.name, f"missing tools: {names}", hint=hint)


def _origin(tool: Tool) -> str:
    return f"package {tool.package}" if tool.package else "not packaged by Debian"


def _is_installed(program: str) -> bool:
    if program.endswith(".h"):
        return any((folder / program).is_file() for folder in _INCLUDE_FOLDERS)
    return shutil.which(program) is not None
