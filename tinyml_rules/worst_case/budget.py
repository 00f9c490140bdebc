"""The budget of cycles, judged by a bound where there is one."""

from __future__ import annotations

from collections.abc import Mapping

from tinyml_rules.errors import UnsupportedError
from tinyml_rules.reporting.budgets import check_bound
from tinyml_rules.request.request import Request
from tinyml_rules.worst_case.inference import WorstCase, worst_case_of
from tinyml_rules.worst_case.targets import is_bounded

BUDGET = "max_cycles"


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


def check_every_run(request: Request | None) -> None:
    """The same for the model of a request with such a budget.  Where there is no bound, a run alone
    judges it."""
    if request is None or request.max_cycles is None or not is_bounded(request.target):
        return
    try:
        found = worst_case_of(request)
    except UnsupportedError:
        return
    check_worst_case(found, {BUDGET: request.max_cycles})
