"""Groups with the kernels of emulated parts: several pixels at a time, pieces of all lengths."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.combined import target_or_skip
from tests.support.first_layers import first_layers
from tests.support.host import samples_and_truth
from tests.support.stages import passed
from tinyml_rules.compiler import compile_model
from tinyml_rules.emit.emit import emit
from tinyml_rules.ir.group import Group
from tinyml_rules.ir.program import Program
from tinyml_rules.lower.choice import Choice
from tinyml_rules.lower.groups import Grouping
from tinyml_rules.lower.select import select
from tinyml_rules.ops import builtin_operators
from tinyml_rules.ops.fully_connected.cases import dense
from tinyml_rules.ops.fully_connected.packed_cases import rows_of_widths
from tinyml_rules.plan.groups import Ram
from tinyml_rules.plan.lifetimes import lifetimes
from tinyml_rules.plan.place import place
from tinyml_rules.plan.schedule import Mode, schedule
from tinyml_rules.plan.state import state_bytes
from tinyml_rules.plan.verify import verify_plan
from tinyml_rules.plan.verify_group import verify_group
from tinyml_rules.request.request import Request, Weights
from tinyml_rules.runners.model import run_model
from tinyml_rules.target.target import Target, load_target

SAMPLES = 3
WHOLE = (0, 4)
"""The span of all of its steps."""


def grouped(target: Target, pixels: int) -> Program:
    """All steps as one group, of which the first makes so many pixels at a time."""
    program = select(passed(first_layers(), name="model"), target.features, builtin_operators())
    grouping = Grouping(program, builtin_operators(), Choice())
    return grouping.grouped([WHOLE], {WHOLE: pixels})


def test_all_make_what_they_can() -> None:
    """Of the pixels of the first step, those behind a stride of 2 make half as many."""
    for pixels, expected in ((1, [1, 1, 1, 1]), (2, [2, 2, 2, 1]), (6, [6, 6, 6, 3])):
        (step,) = grouped(target_or_skip("host"), pixels).steps
        assert isinstance(step.facts, Group)
        assert [each.at_once for each in step.facts.members] == expected
    (row,) = grouped(target_or_skip("host"), 64).steps
    assert [each.at_once for each in row.facts.members] == [11, 11, 11, 6]


@pytest.mark.parametrize("is_checked", [False, True])
@pytest.mark.parametrize("pixels", [2, 6, 64])
@pytest.mark.parametrize("part", ["atmega2560", "nrf52840"])
def test_outputs_are_those_of_tflm(
    part: str, pixels: int, *, is_checked: bool, tmp_path: Path
) -> None:
    """A row of six pixels in pieces of one, of three, and as a whole."""
    target, model = target_or_skip(part), first_layers()
    steps = schedule(grouped(target, pixels), mode=Mode.LAYER)
    plan = place(steps, lifetimes(steps), state_bytes=state_bytes(steps))
    verify_plan(steps, plan)
    compiled = compile_model(Request(model, "model", target, checked=is_checked))
    text = emit(steps, plan, compiled.interface, {}, target=target, is_checked=is_checked)
    samples, truth = samples_and_truth(model, count=SAMPLES)
    outcome = run_model(replace(compiled, files=text.files), target, samples, folder=tmp_path)
    assert outcome.output == truth


@pytest.mark.parametrize("by", [-1, 1])
@pytest.mark.parametrize("place", ["between", "last"])
def test_its_proof_finds_pixels_without_room(place: str, by: int) -> None:
    """What members hand on, or need while they run, is in bytes of something else, or ends beyond
    the scratch memory."""
    program = grouped(target_or_skip("atmega2560"), 6)
    (step,) = program.steps
    group = step.facts
    assert isinstance(group, Group)
    assert group.between[0] < group.last < group.scratch_bytes
    verify_group(program, step)
    between = group.between[0] + by, group.between[1] + by
    wrong = replace(group, between=between)
    if place == "last":
        wrong = replace(group, last=group.last + by)
    with pytest.raises(AssertionError):
        verify_group(program, replace(step, facts=wrong))


@pytest.mark.parametrize("weights", [Weights.PACKED, Weights.EXTERNAL])
def test_beside_packed_weights(weights: Weights, tmp_path: Path) -> None:
    """Steps with weights in another form, or in a file, are in no group; others can be."""
    target = target_or_skip("nrf52840")
    model = first_layers(
        dense((1, 3, 6, 12), (1, 20), input_count=216, values=rows_of_widths(20, 216))
    )
    compiled = compile_model(Request(model, "model", target, ram=Ram.LEAST, weights=weights))
    has_group = any(node.op == "group" for node in compiled.report.nodes)
    assert has_group == (weights is Weights.PACKED) == bool(compiled.report.packed)
    samples, truth = samples_and_truth(model, count=SAMPLES)
    assert run_model(compiled, target, samples, folder=tmp_path).output == truth


def test_room_is_used() -> None:
    """Several pixels at a time where the RAM stays as it is, or within the limit."""

    def planned(part: str, ram: Ram | int) -> tuple[int, bool]:
        made = compile_model(Request(first_layers(), "m", load_target(part), ram=ram))
        assert made.report.curve[-1].ram_bytes == made.report.model_ram_bytes
        return made.report.model_ram_bytes, "some pixels at a time" in made.files["m.c"]

    assert planned("nrf52840", Ram.LEAST) == (740, True)
    assert planned("atmega2560", Ram.LEAST) == (627, False)
    assert planned("atmega2560", 627) == (627, False)
    assert planned("atmega2560", 650) == (644, True)
