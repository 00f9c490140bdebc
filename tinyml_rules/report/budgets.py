"""Budgets: what a model and its firmware may take, judged where each figure becomes known.

A budget is an option of a compilation, so it is written as that: `--max-flash=2000`.  Every error
has the figure, by how much it is too large, and what takes most of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tinyml_rules.errors import DoesNotFitError, OverBudgetError, Problem, Shortage, UsageError
from tinyml_rules.ir.text import operator_name, short_name
from tinyml_rules.report.report import Report
from tinyml_rules.request.budgets import BUDGETS

NAMED_COUNT = 3
"""Consumers that an error names."""
_OF_ONE_TARGET = "in the file of options a table [target.NAME] has the budgets of one target"

Consumers = Iterable[tuple[str, int]]
"""What takes something, in words, and how much."""


@dataclass(frozen=True)
class Judged:
    """One figure of a report that a budget is for.

    `keys`: where it is, the first that there is; `figure`: what it is in words, of which a number
    stands in front.  `consumers`: of a report, what it is made of.  `memory`: as in a Shortage; ""
    where it is none.  `is_least`: more will come to it.
    """

    budget: str
    keys: tuple[str, ...]
    figure: str
    consumers: Callable[[Report], Consumers]
    memory: str = ""
    is_least: bool = False


def _nodes(report: Report) -> Consumers:
    for each in report.get("nodes", ()):
        yield f"node {each['node']} ({operator_name(each['op'])})", each["constant_bytes"]


def _tensors(report: Report) -> Consumers:
    for each in (report.get("peak") or {}).get("tensors", ()):
        yield f"tensor #{each['tensor']} {short_name(each['name'])}", each["bytes"]


def _symbols(report: Report, memory: str) -> Consumers:
    for each in report.get("symbols", ()):
        yield each["symbol"], each[f"{memory}_bytes"]


def _in_flash(report: Report) -> Consumers:
    return _symbols(report, "flash")


def _in_ram(report: Report) -> Consumers:
    yield from _symbols(report, "ram")
    yield "the stack", report.get("stack_bytes") or 0


def _frames(report: Report) -> Consumers:
    for each in report.get("stack_path", ()):
        yield each["function"], each["bytes"]
    for each in report.get("interrupts", ()):
        yield f"{each['name']} (interrupt)", each["bytes"] * each["times"]


def _counts(report: Report) -> Consumers:
    for each in report.get("profile", {}).get("nodes", ()):
        yield f"node {each['label']} ({operator_name(each['op'])})", each["count"]


ARENA = Judged("max_arena", ("arena_bytes",), "bytes of arena", _tensors)
COMPILED = (
    Judged(
        "max_flash",
        ("constant_bytes",),
        "bytes of flash for constants alone",
        _nodes,
        "flash",
        is_least=True,
    ),
    Judged(
        "max_ram",
        ("model_ram_bytes",),
        "bytes of RAM for the model alone",
        _tensors,
        "RAM",
        is_least=True,
    ),
    ARENA,
)
"""What is known before there is a firmware."""
LINKED = (
    Judged("max_flash", ("flash_bytes",), "bytes of flash", _in_flash, "flash"),
    Judged("max_ram", ("ram_bytes",), "bytes of RAM", _in_ram, "RAM"),
    Judged("max_stack", ("stack_bytes",), "bytes of stack", _frames),
)
"""What is known behind the link."""
RUN = (
    Judged("max_cycles", ("cycles", "estimated_cycles"), "cycles", _counts),
    Judged("max_instructions", ("instructions",), "instructions", _counts),
)
"""What is known behind a run."""


def budgets_of(report: Report) -> dict[str, int]:
    """Those with which a model was compiled."""
    return {name: value for name, value in report["options"].items() if name in BUDGETS}


def check_budgets(
    judged: Iterable[Judged], report: Report, budgets: Mapping[str, int], *, where: str
) -> None:
    """Raise DoesNotFitError where it is about a memory, else OverBudgetError: a problem for each
    figure of `report` that is over its budget."""
    problems = over_budget(judged, report, budgets, where=where)
    if any(each.shortage for each in problems):
        raise DoesNotFitError(problems)
    if problems:
        raise OverBudgetError(problems)


def over_budget(
    judged: Iterable[Judged], report: Report, budgets: Mapping[str, int], *, where: str
) -> list[Problem]:
    """Those problems."""
    return [
        _problem(each, figure, report, budgets[each.budget], where)
        for each, figure in _over(judged, report, budgets)
    ]


def check_known(
    judged: Iterable[Judged], report: Report, budgets: Mapping[str, int], *, where: str, hint: str
) -> None:
    """Raise UsageError for a budget of which there is no figure: nobody may take it for kept."""
    for each in judged:
        if each.budget in budgets and figure_of(each, report) is None:
            budget = f"--{dashed(each.budget)}={budgets[each.budget]}"
            what = f"{budget} cannot be checked: there is no figure in {each.figure}"
            raise UsageError.at(where, what, hint=hint)


def check_linked(report: Report, budgets: Mapping[str, int], *, where: str) -> None:
    """Both for the figures of a linked firmware."""
    check_known(LINKED, report, budgets, where=where, hint=_OF_ONE_TARGET)
    check_budgets(LINKED, report, budgets, where=where)


def check_run(
    report: Report,
    budgets: Mapping[str, int],
    *,
    where: str,
    profiled: Callable[[], Report] = dict,
) -> None:
    """Both for the figures of a run; `profiled` gives the profile that names nodes, and is called
    only where a budget is broken."""
    check_known(RUN, report, budgets, where=where, hint=_OF_ONE_TARGET)
    if any(_over(RUN, report, budgets)):
        profile = report["profile"] if "profile" in report else profiled()
        check_budgets(RUN, {**report, "profile": profile}, budgets, where=where)


def figure_of(judged: Judged, report: Mapping[str, Any]) -> int | None:
    """What a report says of it, if anything."""
    found = (report.get(key) for key in judged.keys)
    return next((each for each in found if each is not None), None)


def largest(consumers: Consumers, count: int = NAMED_COUNT) -> list[tuple[str, int]]:
    """The first of them, those that take nothing left out."""
    taking = [each for each in consumers if each[1] > 0]
    return sorted(taking, key=lambda each: -each[1])[:count]


def dashed(budget: str) -> str:
    """The option of a budget, without the dashes before it."""
    return BUDGETS[budget].dashed


def _over(
    judged: Iterable[Judged], report: Report, budgets: Mapping[str, int]
) -> Iterator[tuple[Judged, int]]:
    for each in judged:
        figure = figure_of(each, report)
        if figure is not None and figure > budgets.get(each.budget, figure):
            yield each, figure


def _problem(each: Judged, figure: int, report: Report, budget: int, where: str) -> Problem:
    is_estimate = bool(each.keys[1:]) and each.keys[0] not in report
    words = f"{'about ' * is_estimate}{figure:,} {each.figure}"
    what = f"takes {words}, {figure - budget:,} more than --{dashed(each.budget)}={budget}"
    named = [f"{name} with {size:,}" for name, size in largest(each.consumers(report))]
    shortage = Shortage(each.memory, figure, budget, each.is_least) if each.memory else None
    most = f"; largest: {', '.join(named)}" if named else ""
    return Problem(where, f"{what}{most}", shortage=shortage)
