"""What a target lacks: tools on this computer, with the command that installs them, or a counter.

Runs nothing.  Standard library only, like `target.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tinyml_rules.errors import ToolError, UsageError
from tinyml_rules.system.programs import find_header, find_program
from tinyml_rules.target.equipment import RUNNER_COUNTS, Tool
from tinyml_rules.target.target import Target


def missing_tools(target: Target, *, packages: Sequence[str] | None = None) -> tuple[Tool, ...]:
    """The tools of `target` that this computer lacks: programs on the path, headers of C.

    `packages`: folders of wheels that may have a tool, by default those of this Python.
    """
    return tuple(tool for tool in target.tools if not is_installed(tool, packages))


def is_installed(tool: Tool, packages: Sequence[str] | None) -> bool:
    """Whether this computer has the program on its path, or the header, or either under its full
    path.  A wheel counts only for a tool that has one: its headers are not this computer's."""
    if Path(tool.program).is_absolute():
        return Path(tool.program).is_file()
    search = packages if tool.wheel else ()
    if tool.program.endswith(".h"):
        return find_header(tool.program, search=search) is not None
    return find_program(tool.program, search=search) is not None


def install_command(tools: Sequence[Tool]) -> str:
    """What installs `tools`: one command on Debian and Ubuntu; for tools without a package, a text
    that names their vendor."""
    packages = sorted({tool.package for tool in tools if tool.package})
    if packages:
        return f"sudo apt-get install --yes {' '.join(packages)}"
    return f"install {'; '.join(dict.fromkeys(tool.vendor for tool in tools))}"


def require_tools(target: Target, *, for_runs: bool) -> None:
    """Raise a ToolError that names every missing tool and the command that installs them.

    `for_runs`: those too that only run a firmware.
    """
    missing = [tool for tool in missing_tools(target) if for_runs or not tool.is_for_runs]
    if missing:
        names = ", ".join(f"{tool.program} ({_origin(tool)})" for tool in missing)
        command = install_command(missing)
        hint = command if command.startswith("install ") else f"run: {command}"
        raise ToolError.at(target.name, f"missing tools: {names}", hint=hint)


def check_counts(target: Target) -> None:
    """Raise UsageError for a target whose runner counts nothing."""
    if not RUNNER_COUNTS[target.runner.kind]:
        what = f"'{target.name}' has no counter, expected a target with an emulator to profile on"
        hint = "`tinyml_rules targets` shows what the runner of each counts"
        raise UsageError.at("run", what, hint=hint)


def _origin(tool: Tool) -> str:
    return f"package {tool.package}" if tool.package else "not packaged by Debian"
