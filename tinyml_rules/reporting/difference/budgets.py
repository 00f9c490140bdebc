"""Budgets of a difference: what a figure may be, and by how much it may have grown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from tinyml_rules.errors import Problem, UsageError
from tinyml_rules.reporting.budgets import (
    ARENA,
    LINKED,
    RUN,
    Judged,
    check_known,
    dashed,
    figure_of,
    largest,
    over_budget,
    shown,
)
from tinyml_rules.reporting.difference.compare import Difference
from tinyml_rules.reporting.difference.read import Figures, Number
from tinyml_rules.reporting.difference.words import shown_name
from tinyml_rules.reporting.known import (
    COUNTS,
    FLASH,
    FRAMES,
    RAM,
    TENSORS,
    Known,
    handler_words,
    node_words,
    tensor_words,
)
from tinyml_rules.request.budgets import BUDGETS
from tinyml_rules.request.option import Kind

JUDGED = (*LINKED, ARENA, *RUN)
"""What a report of a firmware, or of its run, has figures for."""

_PARTS = {
    "max_flash": ("flash_bytes", "node_constants"),
    "max_ram": ("ram_bytes",),
    "max_arena": ("peak",),
    "max_stack": ("stack_path",),
    "max_cycles": ("node_counts",),
    "max_instructions": ("node_counts",),
    "max_energy": (),
}
"""The sections that a figure is made of; the first that there is."""
_HINT = "reports of `tinyml_rules run` and of a firmware's build have it, those of `compile` not"


@dataclass(frozen=True)
class Growth:
    """By how much a figure may grow: an amount, or a share of what it was."""

    amount: int
    is_percent: bool

    @classmethod
    def of(cls, text: str, where: str) -> Growth:
        """`512` or `5%`; raises UsageError for anything else."""
        found = re.fullmatch(r"([0-9]{1,12}) ?(%?)", text)
        if not found:
            raise UsageError.at(where, f"found '{text}', expected a number, or one with %")
        return cls(int(found[1]), bool(found[2]))

    def allowed(self, old: Number) -> Number:
        """By how much `old` may grow, rounded down where it is a whole number."""
        if not self.is_percent:
            return self.amount
        part = old * self.amount
        return part // 100 if isinstance(part, int) else part / 100

    def __str__(self) -> str:
        return f"{self.amount}{'%' if self.is_percent else ''}"


def broken_budgets(
    found: Difference, budgets: Mapping[str, float], growth: Mapping[str, Growth]
) -> list[Problem]:
    """A problem for each figure that is too large, or grew too much; raises UsageError where a
    report has no figure for a budget."""
    return [
        *broken_totals(found.reports[1], budgets),
        *(_grown(found, each, growth[each.budget]) for each in _too_much(found, growth)),
    ]


def broken_totals(report: Figures, budgets: Mapping[str, float]) -> list[Problem]:
    """The first of the two: what of a report is too large."""
    where, known = _where(report), known_of(report)
    check_known(JUDGED, known, budgets, where=where, hint=_HINT)
    return over_budget(JUDGED, known, budgets, where=where)


def known_of(report: Figures) -> Known:
    """What a report of any version has for budgets."""
    handlers = ((handler_words(each.name), each.size) for each in report.handlers)
    return Known(
        report.totals,
        {
            FLASH: _sizes((each.name, each.size) for each in report.flash),
            RAM: _sizes(
                [
                    *((each.name, each.size) for each in report.ram),
                    ("the stack", report.totals.get("stack_bytes", 0)),
                ]
            ),
            FRAMES: _sizes([*((each.name, each.size) for each in report.frames), *handlers]),
            TENSORS: _sizes(
                (tensor_words(int(each.number), each.name), each.size) for each in report.peak
            ),
            COUNTS: _sizes((node_words(each.label, each.op), each.size) for each in report.counts),
        },
    )


def _sizes(found: Iterable[tuple[str, Number]]) -> list[tuple[str, int]]:
    return [(name, int(size)) for name, size in found]


def _too_much(found: Difference, growth: Mapping[str, Growth]) -> Iterator[Judged]:
    for each in JUDGED:
        if each.budget in growth:
            old, new = _figures(found, each, growth)
            if new - old > growth[each.budget].allowed(old):
                yield each


def _figures(
    found: Difference, each: Judged, growth: Mapping[str, Growth]
) -> tuple[Number, Number]:
    """Before and now, of the same key."""
    for key in each.keys:
        old, new = (report.totals.get(key) for report in found.reports)
        if old is not None and new is not None:
            is_real = BUDGETS[each.budget].kind is Kind.ENERGY
            return (old, new) if is_real else (int(old), int(new))
    which = "old" if figure_of(each, known_of(found.reports[0])) is None else "new"
    budget = f"--{dashed(each.budget)}-growth={growth[each.budget]}"
    what = f"{budget} cannot be checked: the {which} report has no figure in {each.figure}"
    raise UsageError.at(_where(found.reports[1]), what, hint=_HINT)


def _grown(found: Difference, each: Judged, growth: Growth) -> Problem:
    old, new = _figures(found, each, {each.budget: growth})
    more = new - old - growth.allowed(old)
    named = [f"{shown_name(name)} with {size:+,}" for name, size in largest(_parts(found, each))]
    most = f"; largest: {', '.join(named)}" if named else ""
    what = (
        f"grew by {shown(new - old)} to {shown(new)} {each.figure}, {shown(more)} more than "
        f"--{dashed(each.budget)}-growth={growth}{most}"
    )
    return Problem(_where(found.reports[1]), what)


def _parts(found: Difference, each: Judged) -> Iterable[tuple[str, int]]:
    """What the figure is made of, as far as it grew."""
    by_key = {section.key: section for section in found.sections}
    keys = (key for key in _PARTS[each.budget] if key in by_key)
    for key in list(keys)[:1]:
        for change in by_key[key].changes:
            yield change.name, int(change.delta or 0)


def _where(report: Figures) -> str:
    return f"{shown_name(report.model)} on {shown_name(report.target)}"
