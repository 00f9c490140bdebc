"""Writes what instructions of a core take, for our programs in C that count: see cycle_rules.h."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields

from tinyml_rules.target.cycles import Cycles, Rule
from tinyml_rules.target.encodings import LONG_INSTRUCTIONS


def rules_text(cycles: Cycles, architecture: str) -> str:
    """The file of rules."""
    lines = (" ".join(str(int(each)) for each in line) for line in _numbers(cycles, architecture))
    return "".join(f"{line}\n" for line in lines)


def _numbers(cycles: Cycles, architecture: str) -> Iterator[Sequence[int]]:
    yield *LONG_INSTRUCTIONS[architecture], cycles.issue_width
    yield cycles.leads
    for rule in cycles.rules:
        numbers = (getattr(rule, each.name) for each in fields(Rule) if each.name != "operands")
        yield *numbers, len(rule.operands), *(each for pair in rule.operands for each in pair)
