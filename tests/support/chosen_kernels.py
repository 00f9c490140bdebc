"""Which kernels a target has for a case."""

from __future__ import annotations

from functools import cache

from tests.support.combined import SANITIZED
from tests.support.operator_cases import cases_of, graph_of, samples_of
from tinyml_rules.ir.program import Form, Kernel
from tinyml_rules.lower.select import select
from tinyml_rules.ops import builtin_operators
from tinyml_rules.ops._shared.cases.case import Case
from tinyml_rules.target.target import load_target

IN_TURN = ("nrf51", "lm3s6965", "atsamv71", "mps3_an547")
"""Arm's cores, for whose one compiler a sample without a kernel of theirs is the same C."""


@cache
def kernels_of(case: Case, target_name: str) -> tuple[Kernel, ...]:
    """Those of its steps."""
    name = "host" if target_name == SANITIZED else target_name
    graph = graph_of(case, name="model")  # which is the same for the next target
    program = select(graph, load_target(name).features, builtin_operators())
    return tuple(step.kernel for step in program.steps)


def cases_worth_running(
    operator: str, target_name: str, form: Form | None = None
) -> dict[str, Case]:
    """Cases whose C may do something else on the target than on others: on the host all, elsewhere
    those with a kernel that others do not have, and the operator's samples, on Arm's cores in turn.
    With a form, those alone that have a kernel of it, and every sample of these."""
    samples = samples_of(operator)
    if form is None and target_name in IN_TURN:
        samples = samples[IN_TURN.index(target_name) :: len(IN_TURN)]
    return {
        name: case
        for name, case in cases_of(operator).items()
        if (form is None or any(each.form is form for each in kernels_of(case, target_name)))
        and (
            target_name == SANITIZED
            or name in samples
            or any(each.requires for each in kernels_of(case, target_name))
        )
    }
