"""Budgets: what a model and its firmware may take, judged where each figure becomes known.

A budget is an option of a compilation, so it is written as that: `--max-flash=2000`.  Every error
has the figure, by how much it is too large, and what takes most of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from tinyml_rules.errors import DoesNotFitError, OverBudgetError, Problem, Shortage, UsageError
from tinyml_rules.reporting.firmware import Linked, Profile, Run
from tinyml_rules.reporting.known import (
    COUNTS,
    ENERGY,
    FLASH,
    FRAMES,
    NODES,
    RAM,
    TENSORS,
    Consumers,
    Known,
    of_firmware,
    of_model,
    of_run,
)
from tinyml_rules.reporting.report import Report
from tinyml_rules.reporting.sizes import three_digits
from tinyml_rules.request.budgets import BUDGETS

NAMED_COUNT = 3
"""Consumers that an error names."""
_WITHOUT_POWER = (
    "energy is known for a target whose target.toml has [power], a part's typical current by its "
    "data sheet, and whose cycles are counted or estimated"
)
_OF_ONE_TARGET = "in the file of options a table [target.NAME] has the budgets of one target"


@dataclass(frozen=True)
class Judged:
    """One figure that a budget is for.

    `keys`: of the figure, the first that there is; `figure`: what it is in words, of which a number
    is in front.  `consumers`: the word of what it is made of.  `memory`: as in a Shortage; ""
    where it is none.  `is_least`: more will come to it.
    """

    budget: str
    keys: tuple[str, ...]
    figure: str
    consumers: str
    memory: str = ""
    is_least: bool = False
    missing: str = ""
    """What a target lacks of which there is no figure."""


ARENA = Judged("max_arena", ("arena_bytes",), "bytes of arena", TENSORS)
COMPILED = (
    Judged(
        "max_flash",
        ("constant_bytes",),
        "bytes of flash for constants alone",
        NODES,
        "flash",
        is_least=True,
    ),
    Judged(
        "max_ram",
        ("model_ram_bytes",),
        "bytes of RAM for the model alone",
        TENSORS,
        "RAM",
        is_least=True,
    ),
    ARENA,
)
"""What is known before there is a firmware."""
LINKED = (
    Judged("max_flash", ("flash_bytes",), "bytes of flash", FLASH, "flash"),
    Judged("max_ram", ("ram_bytes",), "bytes of RAM", RAM, "RAM"),
    Judged("max_stack", ("stack_bytes",), "bytes of stack", FRAMES),
)
"""What is known after the link."""
RUN = (
    Judged("max_cycles", ("cycles", "estimated_cycles"), "cycles", COUNTS),
    Judged("max_instructions", ("instructions",), "instructions", COUNTS),
    Judged("max_energy", ("estimated_microjoules",), "microjoules", ENERGY, missing=_WITHOUT_POWER),
)
"""What is known after a run."""
BOUND = (Judged("max_cycles", ("cycles", "estimated_cycles"), "cycles at most, a bound", COUNTS),)
"""What is known of every run."""


def budgets_of(report: Report) -> dict[str, float]:
    """Those with which a model was compiled."""
    found = ((name, value) for name, value in report.options.items() if name in BUDGETS)
    return {name: value for name, value in found if isinstance(value, (int, float))}


def check_budgets(
    judged: Iterable[Judged], known: Known, budgets: Mapping[str, float], *, where: str
) -> None:
    """Raise DoesNotFitError where it is about a memory, else OverBudgetError: a problem for each
    known figure that is over its budget."""
    problems = over_budget(judged, known, budgets, where=where)
    if any(each.shortage for each in problems):
        raise DoesNotFitError(problems)
    if problems:
        raise OverBudgetError(problems)


def over_budget(
    judged: Iterable[Judged], known: Known, budgets: Mapping[str, float], *, where: str
) -> list[Problem]:
    """Those problems."""
    return [
        _problem(each, figure, known, budgets[each.budget], where)
        for each, figure in _over(judged, known, budgets)
    ]


def check_known(
    judged: Iterable[Judged], known: Known, budgets: Mapping[str, float], *, where: str, hint: str
) -> None:
    """Raise UsageError for a budget of which there is no figure: nobody may take it for kept."""
    for each in judged:
        if each.budget in budgets and figure_of(each, known) is None:
            budget = f"--{dashed(each.budget)}={budgets[each.budget]:.12g}"
            what = f"{budget} cannot be checked: there is no figure in {each.figure}"
            raise UsageError.at(where, what, hint=each.missing or hint)


def check_compiled(report: Report, *, where: str) -> None:
    """The budgets of a report for what is known before there is a firmware."""
    check_budgets(COMPILED, of_model(report), budgets_of(report), where=where)


def check_linked(found: Linked, budgets: Mapping[str, float], *, where: str) -> None:
    """Both for the figures of a linked firmware."""
    known = of_firmware(found)
    check_known(LINKED, known, budgets, where=where, hint=_OF_ONE_TARGET)
    check_budgets(LINKED, known, budgets, where=where)


def check_run(
    run: Run | None,
    budgets: Mapping[str, float],
    *,
    where: str,
    profiled: Callable[[], Profile | None] = lambda: None,
) -> None:
    """Both for the figures of a run; `profiled` gives the profile that names nodes, and is called
    only where a budget is broken."""
    check_known(RUN, of_run(run), budgets, where=where, hint=_OF_ONE_TARGET)
    if any(_over(RUN, of_run(run), budgets)):
        check_budgets(RUN, of_run(run, profiled()), budgets, where=where)


def check_bound(
    cycles: int,
    consumers: Consumers,
    budgets: Mapping[str, float],
    *,
    is_estimated: bool,
    where: str,
) -> None:
    """The budget of cycles for a bound; `consumers`: functions whose branches depend on data."""
    key = "estimated_cycles" if is_estimated else "cycles"
    known = Known({key: cycles}, {COUNTS: consumers})
    check_budgets(BOUND, known, budgets, where=where)


def figure_of(judged: Judged, known: Known) -> float | None:
    """What is known of it, if anything."""
    found = (known.figures.get(key) for key in judged.keys)
    return next((each for each in found if each is not None), None)


def largest(consumers: Consumers, count: int = NAMED_COUNT) -> list[tuple[str, float]]:
    """The first of them, those that take nothing left out."""
    taking = [each for each in consumers if each[1] > 0]
    return sorted(taking, key=lambda each: -each[1])[:count]


def dashed(budget: str) -> str:
    """The option of a budget, without the dashes before it."""
    return BUDGETS[budget].dashed


def _over(
    judged: Iterable[Judged], known: Known, budgets: Mapping[str, float]
) -> Iterator[tuple[Judged, float]]:
    for each in judged:
        figure = figure_of(each, known)
        if figure is not None and figure > budgets.get(each.budget, figure):
            yield each, figure


def shown(number: float) -> str:
    """A whole number with all its digits, one that is estimated with three."""
    return f"{number:,}" if isinstance(number, int) else three_digits(number)


def _problem(each: Judged, figure: float, known: Known, budget: float, where: str) -> Problem:
    key = next(key for key in each.keys if known.figures.get(key) is not None)
    words = f"{'about ' * key.startswith('estimated_')}{shown(figure)} {each.figure}"
    what = (
        f"takes {words}, {shown(figure - budget)} more than --{dashed(each.budget)}={budget:.12g}"
    )
    consumers = known.consumers.get(each.consumers, ())
    named = [f"{name} with {shown(size)}" for name, size in largest(consumers)]
    needed, allowed = int(figure), int(budget)
    shortage = Shortage(each.memory, needed, allowed, each.is_least) if each.memory else None
    most = f"; largest: {', '.join(named)}" if named else ""
    return Problem(where, f"{what}{most}", shortage=shortage)
