"""The budget of cycles, judged by a bound where there is one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from tinyml_rules.errors import UnsupportedError
from tinyml_rules.firmware.image import Image
from tinyml_rules.reporting.budgets import budgets_of, check_bound
from tinyml_rules.reporting.report import Report
from tinyml_rules.target.target import Target
from tinyml_rules.worst_case.figures import WorstCase
from tinyml_rules.worst_case.targets import is_bounded

if TYPE_CHECKING:
    from tinyml_rules.request.request import Request

BUDGET = "max_cycles"
_BY_RUN = "budget of cycles: judged by this run alone"


def check_worst_case(found: WorstCase, budgets: Mapping[str, float]) -> None:
    """Raise OverBudgetError for a bound above the budget; it names what depends on data most."""
    functions = [(each.function, each.cycles) for each in found.depends_on_data]
    check_bound(
        found.cycles,
        functions,
        budgets,
        is_estimated=found.cycles_source is not None,
        where=found.model,
    )


def check_every_run(request: Request | None) -> str:
    """The same for the model of a request with such a budget; returns a line that says what has
    judged it, empty without the budget.  Where there is no bound, a run alone judges it."""
    if request is None or request.max_cycles is None:
        return ""
    from tinyml_rules.worst_case.inference import worst_case_of  # noqa: PLC0415 - compiles

    budgets = {BUDGET: request.max_cycles}
    return _judged(lambda: worst_case_of(request), request.target, budgets)


def check_every_run_of_image(report: Report, image: Image, target: Target, *, cache: Path) -> str:
    """The same for a test image that a build system has linked."""
    budgets = budgets_of(report)
    if BUDGET not in budgets:
        return ""
    from tinyml_rules.worst_case.inference import worst_case_of_image  # noqa: PLC0415 - compiles

    return _judged(lambda: worst_case_of_image(report, image, target, cache=cache), target, budgets)


def _judged(find: Callable[[], WorstCase], target: Target, budgets: Mapping[str, float]) -> str:
    if not is_bounded(target):
        return f"{_BY_RUN}, there is no bound on this target"
    try:
        found = find()
    except UnsupportedError as error:
        return f"{_BY_RUN}, there is no bound: {error.problems[0].what}"
    check_worst_case(found, budgets)
    about = "about " * (found.cycles_source is not None)
    return f"budget of cycles: judged for all inputs, {about}{found.cycles:,} cycles at most"
