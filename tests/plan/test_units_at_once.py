"""Units that are read at once: planner and proof agree with a walk of bytes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.plan.test_plan import step_plan
from tests.plan.test_unit_copies import is_proved
from tinyml_rules.ir.program import Step
from tinyml_rules.ops.conv_2d.cases import conv
from tinyml_rules.plan.memory_plan import MemoryPlan
from tinyml_rules.plan.overlap import overlap_of
from tinyml_rules.plan.tasks import Schedule

AT_ONCE = 3
UNITS = [
    # rows, width, bytes in, bytes out of a pixel
    *((1, width, *sizes) for width in (1, 2, 3, 4, 6, 7) for sizes in ((1, 3), (4, 1), (2, 2))),
    (2, 4, 3, 2),
    (2, 5, 1, 2),
]


def planned(
    unit: tuple[int, int, int, int], distance: int, *, is_descending: bool
) -> tuple[Schedule, MemoryPlan]:
    """The output `distance` bytes above the input."""
    rows, width, channels, outputs = unit
    model = conv((1, rows, width, channels), (1, 1), outputs=outputs)
    schedule, plan = step_plan(model, distance, is_descending=is_descending)
    (step,) = schedule.program.steps
    made = replace(step, kernel=replace(step.kernel, units_at_once=AT_ONCE))
    program = replace(schedule.program, steps=(made,))
    (task,) = schedule.tasks
    return replace(schedule, program=program, tasks=(replace(task, steps=(made,)),)), plan


def blocks(step: Step, *, is_descending: bool) -> Iterator[range]:
    """Units that are read at once, in the order in which they are made."""
    calls = [range(step.units)]
    if is_descending:
        firsts = range(0, step.units, step.chunk)
        calls = [range(first, first + step.chunk) for first in reversed(firsts)]
    for call in calls:
        first = call.start
        while first < call.stop:
            count = AT_ONCE if call.stop - first >= AT_ONCE else 1
            yield range(first, first + count)
            first += count


def survives(step: Step, sizes: tuple[int, int], distance: int, *, is_descending: bool) -> bool:
    """Whether nothing is written before the last unit that is read with it has been made."""
    size, made = sizes
    written: set[int] = set()
    for units in blocks(step, is_descending=is_descending):
        begin, end = units.start, units.stop
        written.update(range(distance + begin * made, distance + end * made))
        if not written.isdisjoint(range(begin * size, end * size)):
            return False
    return True


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("is_descending", [False, True])
def test_the_proof_is_exact(unit: tuple[int, int, int, int], is_descending: bool) -> None:
    rows, width, *sizes = unit
    most = rows * width * sum(sizes)
    found = set()
    for distance in range(-most, most + 1):
        schedule, plan = planned(unit, distance, is_descending=is_descending)
        (step,) = schedule.program.steps
        expected = survives(step, (sizes[0], sizes[1]), distance, is_descending=is_descending)
        assert is_proved(schedule, plan) == expected, distance
        found.add(expected)
    assert found == {False, True}


@pytest.mark.parametrize("unit", UNITS)
def test_the_planner_knows_the_least_distance(unit: tuple[int, int, int, int]) -> None:
    schedule, _ = planned(unit, 0, is_descending=False)
    (step,) = schedule.program.steps
    tensors = schedule.program.graph.tensors
    overlap = overlap_of(step, tensors[step.inputs[0]], tensors[step.output])
    assert overlap.ascending is not None and overlap.descending is not None
    sizes = (unit[2], unit[3])
    assert survives(step, sizes, -overlap.ascending, is_descending=False)
    assert not survives(step, sizes, 1 - overlap.ascending, is_descending=False)
    assert survives(step, sizes, overlap.descending, is_descending=True)
