"""Writes the fastest kernels into the file of options next to the model.

That file belongs to its author, so only the lines of `kernel` in the target's table are rewritten.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tinyml_rules.errors import UsageError
from tinyml_rules.request.options_file import TARGET
from tinyml_rules.system.tables import parsed_toml

_KEY = "kernel"
_COMMENT = "# measured by `tinyml_rules tune`; another release may have faster kernels"


def with_kernels(text: str, target: str, kernels: Mapping[str, str], *, where: Path) -> str:
    """The text of the file with these kernels by node for a target, or without any.  Raises
    UsageError for a text that is no TOML, or where the lines are written in a way of their own."""
    before = _parsed(text, where)
    lines = _without_kernels(text.splitlines(), target)
    if kernels:
        header = f"[{TARGET}.{target}]"
        if header not in map(str.strip, lines):
            lines += ["", header] if lines else [header]
        at = [line.strip() for line in lines].index(header) + 1
        words = [f'  "{node}={kernel}",' for node, kernel in kernels.items()]
        lines[at:at] = [_COMMENT, f"{_KEY} = [", *words, "]"]
    found = "\n".join([*lines, ""]) if lines else ""
    wanted = _expected(before, target, kernels)
    if _parsed(found, where) != wanted:
        what = f"the lines of '{_KEY}' for {target} cannot be told apart from other lines"
        hint = f"take them out by hand, and `{_KEY}` will be written where it belongs"
        raise UsageError.at(str(where), what, hint=hint)
    return found


def _without_kernels(lines: list[str], target: str) -> list[str]:
    """The lines without the list, its comment, and a table that becomes empty."""
    found: list[str] = []
    table, is_list = "", False
    for line in lines:
        header = re.fullmatch(r"\[([^\[\]]+)\]\s*(#.*)?", line.strip())
        if header and not is_list:
            table = header[1].strip()
        is_mine = table == f"{TARGET}.{target}"
        begins = is_mine and re.match(rf"\s*{_KEY}\s*=\s*\[", line) is not None
        if not (begins or is_list or (is_mine and line == _COMMENT)):
            found.append(line)
        is_list = (is_list or begins) and not re.search(r"\]\s*(#.*)?$", line)
    header_line = f"[{TARGET}.{target}]"
    while found and found[-1].strip() in ("", header_line):
        found.pop()
    return found


def _expected(table: dict[str, Any], target: str, kernels: Mapping[str, str]) -> dict[str, Any]:
    """The table that the new file has to contain."""
    targets = {name: dict(each) for name, each in table.get(TARGET, {}).items()}
    mine = targets.setdefault(target, {})
    mine.pop(_KEY, None)
    if kernels:
        mine[_KEY] = [f"{node}={kernel}" for node, kernel in kernels.items()]
    targets = {name: each for name, each in targets.items() if each}
    rest = {key: value for key, value in table.items() if key != TARGET}
    return {**rest, TARGET: targets} if targets else rest


def _parsed(text: str, where: Path) -> dict[str, Any]:
    table = parsed_toml(text.removeprefix("\ufeff"), str(where))
    targets = {name: each for name, each in table.get(TARGET, {}).items() if each}
    rest = {key: value for key, value in table.items() if key != TARGET}
    return {**rest, TARGET: targets} if targets else rest
