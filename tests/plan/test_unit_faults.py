"""Plans of joins and of factors for each channel, broken on purpose: the proof refuses them, and a
checked build shows them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.plan.branchy import squeeze_and_excite, two_branches
from tests.plan.test_broken_plans import differs, planned, refused
from tinyml_rules.ir.program import Step
from tinyml_rules.plan.memory_plan import MemoryPlan
from tinyml_rules.plan.overlap import overlap_of
from tinyml_rules.plan.schedule import Mode
from tinyml_rules.plan.tasks import Schedule


def apart(model: bytes, mode: Mode) -> tuple[Schedule, MemoryPlan]:
    """A plan in which no two tensors share a byte."""
    steps, plan = planned(model, mode)
    offsets, top = {}, 0
    for each in plan.lifetimes:
        offsets[each.tensor] = top
        top += each.size_bytes
    return steps, replace(plan, offsets=offsets, arena_bytes=top, descending=frozenset())


def step_of(steps: Schedule, op: str) -> Step:
    (step,) = (each for each in steps.program.steps if each.node.op == op)
    return step


def moved(plan: MemoryPlan, tensor: int, offset: int) -> MemoryPlan:
    return replace(plan, offsets={**plan.offsets, tensor: offset})


@pytest.mark.parametrize("mode", [Mode.LAYER, Mode.STREAM])
def test_factors_under_the_result(mode: Mode, tmp_path: Path) -> None:
    """The first pixel is right, and leaves other factors for the rest."""
    model = squeeze_and_excite()
    steps, sound = apart(model, mode)
    step = step_of(steps, "mul")
    (factors,) = step.shared
    broken = moved(sound, factors, sound.offsets[step.output] + 2)
    assert not refused(steps, sound)
    assert refused(steps, broken)
    assert differs(steps, broken, model, is_checked=True, folder=tmp_path)


@pytest.mark.parametrize("place", [0, 1])
def test_a_join_over_what_it_still_reads(place: int, tmp_path: Path) -> None:
    """At the planner's least distance from an input it is right, a byte nearer it is refused, and
    two pixels nearer it is wrong."""
    model = two_branches()
    steps, plan = apart(model, Mode.LAYER)
    step, tensors = step_of(steps, "concatenation"), steps.program.graph.tensors
    source = step.inputs[place]
    distance = overlap_of(step, tensors[source], tensors[step.output]).ascending
    assert distance is not None
    above = plan.arena_bytes
    plan = replace(moved(plan, step.output, above), arena_bytes=3 * above)
    assert not refused(steps, moved(plan, source, above + distance))
    assert refused(steps, moved(plan, source, above + distance - 1))
    pixel_bytes = tensors[step.output].size_bytes // step.units
    broken = moved(plan, source, above + distance - 2 * pixel_bytes)
    assert differs(steps, broken, model, is_checked=True, folder=tmp_path)
