"""A kernel that copies its unit before it writes: planner and proof agree with a walk of bytes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.plan.test_plan import step_plan
from tests.support.host import host, program_of, run_on_host
from tinyml_rules.emit.emit import emit
from tinyml_rules.emit.interface import describe
from tinyml_rules.ir.interface import ArenaMode
from tinyml_rules.ir.program import Step
from tinyml_rules.model_file.writer import build_model
from tinyml_rules.ops.conv_2d.cases import conv
from tinyml_rules.ops.dequantize.cases import dequantize, inside
from tinyml_rules.plan.lifetimes import lifetimes
from tinyml_rules.plan.memory_plan import MemoryPlan
from tinyml_rules.plan.overlap import overlap_of
from tinyml_rules.plan.place import place
from tinyml_rules.plan.schedule import Mode, schedule
from tinyml_rules.plan.tasks import Schedule
from tinyml_rules.plan.verify import verify_plan

UNITS = [
    # rows, width, bytes in, bytes out of a pixel
    (5, 1, 1, 3),
    (5, 1, 4, 1),
    (4, 1, 2, 2),
    (1, 1, 3, 7),
    (1, 1, 7, 3),
    (3, 4, 1, 3),
    (3, 4, 5, 2),
]


def copying(schedule: Schedule) -> Schedule:
    """The same with a kernel that has a copy of its unit before it writes."""
    (step,) = schedule.program.steps
    made = replace(step, kernel=replace(step.kernel, copies_unit=True))
    program = replace(schedule.program, steps=(made,))
    (task,) = schedule.tasks
    return replace(schedule, program=program, tasks=(replace(task, steps=(made,)),))


def planned(
    unit: tuple[int, int, int, int], distance: int, *, is_descending: bool
) -> tuple[Schedule, MemoryPlan]:
    rows, width, channels, outputs = unit
    model = conv((1, rows, width, channels), (1, 1), outputs=outputs)
    schedule, plan = step_plan(model, distance, is_descending=is_descending)
    return copying(schedule), plan


def survives(step: Step, sizes: tuple[int, int], distance: int, *, is_descending: bool) -> bool:
    """Whether every unit is still there when it is copied, with the output `distance` bytes above
    the input."""
    size, made = sizes
    chunks = [range(first, first + step.chunk) for first in range(0, step.units, step.chunk)]
    written: set[int] = set()
    for chunk in reversed(chunks) if is_descending else chunks:
        for unit in chunk:
            if not written.isdisjoint(range(unit * size, (unit + 1) * size)):
                return False
            written.update(range(distance + unit * made, distance + (unit + 1) * made))
    return True


def is_proved(schedule: Schedule, plan: MemoryPlan) -> bool:
    try:
        verify_plan(schedule, plan)
    except AssertionError as error:
        assert "before it was read" in str(error)
        return False
    return True


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("is_descending", [False, True])
def test_the_proof_is_exact(unit: tuple[int, int, int, int], is_descending: bool) -> None:
    rows, width, *sizes = unit
    most = rows * width * sum(sizes)
    right = {False: 0, True: 0}
    for distance in range(-most, most + 1):
        schedule, plan = planned(unit, distance, is_descending=is_descending)
        (step,) = schedule.program.steps
        expected = survives(step, (sizes[0], sizes[1]), distance, is_descending=is_descending)
        assert is_proved(schedule, plan) == expected, distance
        right[expected] += 1
    assert right[True] > 0
    assert right[False] > 0 or rows * width == 1


@pytest.mark.parametrize("unit", UNITS)
def test_the_planner_knows_the_least_distances(unit: tuple[int, int, int, int]) -> None:
    schedule, _ = planned(unit, 0, is_descending=False)
    program = schedule.program
    (step,) = program.steps
    tensors = program.graph.tensors
    source, result = tensors[step.inputs[0]], tensors[step.output]
    overlap = overlap_of(step, source, result)
    assert overlap.ascending is not None and overlap.descending is not None
    sizes = (unit[2], unit[3])

    def up(distance: int) -> bool:
        return survives(step, sizes, -distance, is_descending=False)

    def down(distance: int) -> bool:
        return survives(step, sizes, distance, is_descending=True)

    assert up(overlap.ascending) and (overlap.ascending == 0 or not up(overlap.ascending - 1))
    assert down(overlap.descending)
    if step.chunk == 1:
        assert overlap.descending == 0 or not down(overlap.descending - 1)
        together = max(source.size_bytes, result.size_bytes)
        saved = overlap.saved_bytes(source.size_bytes, result.size_bytes)
        assert saved == source.size_bytes + result.size_bytes - together


def test_a_kernel_that_does_not_copy_keeps_apart() -> None:
    """The same distances are refused without the word."""
    for unit in UNITS:
        rows, width, channels, outputs = unit
        model = conv((1, rows, width, channels), (1, 1), outputs=outputs)
        assert is_proved(*planned(unit, 0, is_descending=outputs > channels)) or width > 1
        assert not is_proved(*step_plan(model, 0, is_descending=outputs > channels))


def test_real_numbers_over_the_values_that_they_stand_for(tmp_path: Path) -> None:
    """DEQUANTIZE reads a value before it writes four bytes: the output is all that lies in RAM."""
    program = program_of(build_model(inside(dequantize())))
    graph = program.graph
    steps = schedule(program, mode=Mode.LAYER)
    plan = place(steps, lifetimes(steps))
    verify_plan(steps, plan)
    assert plan.arena_bytes == 4 * 64
    interface = describe(steps, ArenaMode.STATIC)
    files = emit(steps, plan, interface, {}, target=host(), is_checked=True).files
    samples = np.arange(-128, 128, dtype=np.int8)
    found = run_on_host(files, interface, samples.tobytes(), folder=tmp_path)
    scale = np.float32(graph.tensors[graph.inputs[0]].scale)
    real = samples.astype(np.float32) * scale
    assert found == np.maximum(real, np.float32(0)).tobytes()
