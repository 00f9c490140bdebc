"""What compiling a model for a target gives, as lines and as data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tinyml_rules.errors import TinymlError
from tinyml_rules.ir.text import counted
from tinyml_rules.overview.text import field
from tinyml_rules.reporting.record import to_json
from tinyml_rules.reporting.report import Report
from tinyml_rules.reporting.trimming import tabulated_lines
from tinyml_rules.request.wording import worded
from tinyml_rules.target.target import Target

Outcome = Report | TinymlError | None
"""None for a model that was not compiled, because not all of it is supported."""


def outcome_data(target: Target, outcome: Outcome) -> Mapping[str, Any]:
    """For a program."""
    problems = outcome.problems if isinstance(outcome, TinymlError) else ()
    return {
        "name": target.name,
        "problems": [{"where": each.where, "what": each.what} for each in problems],
        "report": to_json(outcome) if isinstance(outcome, Report) else None,
    }


def outcome_lines(target: Target, outcome: Outcome) -> Iterator[str]:
    """For a terminal."""
    for name, text in _facts(target, outcome):
        yield from field(name, text)


def outcome_facts(target: Target, outcome: Outcome) -> Iterator[str]:
    """The same, a sentence each."""
    return (f"{name}: {text}" for name, text in _facts(target, outcome))


def _facts(target: Target, outcome: Outcome) -> Iterator[tuple[str, str]]:
    if outcome is None:
        yield "target", f"{target.name}: not before all of it is supported"
        return
    if isinstance(outcome, TinymlError):
        yield "target", worded(str(outcome))
        return
    memory = target.memory
    ram = _of(outcome.arena_bytes, memory.ram.bytes if memory else None)
    flash = _of(outcome.constant_bytes, memory.flash.bytes if memory else None)
    counts: dict[str, int] = {}
    for node in outcome.nodes:
        counts[node.kernel] = counts.get(node.kernel, 0) + 1
    kernels = ", ".join(counted(kernel, count) for kernel, count in counts.items())
    text = f"{target.name}: arena {ram} RAM, constants {flash} flash; the code comes on top"
    yield "target", text
    yield "kernels", kernels
    for line in tabulated_lines(outcome.tabulated):
        yield "tables", line


def _of(used: int, available: int | None) -> str:
    return f"{used:,} B of" if available is None else f"{used:,} of {available:,} B"
