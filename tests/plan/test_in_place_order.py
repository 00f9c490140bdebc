"""A kernel that may write over its own input may do so from further below, too: what it reads later
is still there.  CUMSUM along another dimension than the last one was not so."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.plan.test_plan import step_plan
from tests.support.host import host, run_on_host
from tests.support.operator_cases import OPERATORS, cases_of, is_right, samples_of
from tinyml_rules.emit.emit import emit
from tinyml_rules.emit.interface import describe
from tinyml_rules.ir.interface import ArenaMode
from tinyml_rules.ir.program import Form, Step
from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops import builtin_operators
from tinyml_rules.ops._shared.cases.case import Case
from tinyml_rules.ops.cumsum.cases import CASES as CUMSUM
from tinyml_rules.plan.overlap import overlap_of
from tinyml_rules.plan.verify import verify_plan

ACROSS = ("int8_plain", "int8_reverse", "first")
"""Cases of CUMSUM whose results are not written in order."""


def cases() -> Iterator[tuple[str, Case]]:
    """Those with one input and one output of int8, of operators with such kernels, that run unit by
    unit."""
    for operator in OPERATORS:
        if not any(kernel.is_in_place for kernel in builtin_operators()[operator].kernels):
            continue
        more = ACROSS if operator == "cumsum" else ()
        for name in dict.fromkeys((*samples_of(operator), *more)):
            case = cases_of(operator)[name]
            model = case.model
            ends = [model.tensors[index].dtype for index in (*model.inputs, *model.outputs)]
            if ends == ["int8", "int8"] and the_step(model).kernel.form is Form.POINTWISE:
                yield f"{operator}_{name}", case


def the_step(model: ModelSpec) -> Step:
    """Of a model of one node."""
    schedule, _ = step_plan(model, 0, is_descending=False)
    (step,) = schedule.program.steps
    return step


CASES = dict(cases())


@pytest.mark.parametrize("name", CASES)
def test_output_below_its_input(name: str, tmp_path: Path) -> None:
    """By as little as the planner allows, and by a byte and by three more."""
    case = CASES[name]
    for number, more in enumerate((0, 1, 3)):
        schedule, _ = step_plan(case.model, 0, is_descending=False)
        (step,) = schedule.program.steps
        tensors = schedule.program.graph.tensors
        least = overlap_of(step, tensors[step.inputs[0]], tensors[step.output]).ascending
        assert least is not None
        schedule, plan = step_plan(case.model, -(least + more), is_descending=False)
        plan = replace(plan, arena_bytes=plan.arena_bytes + least + more)
        verify_plan(schedule, plan)
        interface = describe(schedule, ArenaMode.STATIC)
        files = emit(schedule, plan, interface, {}, target=host()).files
        (samples,) = case.samples
        output = run_on_host(files, interface, samples.tobytes(), folder=tmp_path / str(number))
        assert is_right(case, output), more


@pytest.mark.parametrize("name", ACROSS)
def test_sums_across_are_apart(name: str) -> None:
    """Their input has to stay until the last of them is written."""
    assert not the_step(CUMSUM[name].model).kernel.is_in_place
