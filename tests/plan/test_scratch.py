"""Scratch memory in streams: the steps take turns in one buffer, which the plan and its proof
count."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.pairs import requests as pairs
from tests.plan.scratch import with_scratch
from tests.plan.test_broken_plans import refused, two_convolutions
from tests.support.host import program_of
from tinyml_rules.plan.lifetimes import lifetimes
from tinyml_rules.plan.memory_plan import MemoryPlan
from tinyml_rules.plan.place import place
from tinyml_rules.plan.schedule import Mode, schedule
from tinyml_rules.plan.slide import slide
from tinyml_rules.plan.state import state_bytes
from tinyml_rules.plan.streams import stream
from tinyml_rules.plan.tasks import Schedule

SIZES = (20, 44)


def streamed() -> Schedule:
    """Two convolutions row by row, the second with the larger scratch memory."""
    program = with_scratch(program_of(two_convolutions(has_sum=False)), SIZES)
    task = stream(program, program.steps)
    assert task is not None
    return Schedule(program, (task,))


def placed(steps: Schedule) -> MemoryPlan:
    return place(steps, lifetimes(steps))


def test_the_steps_take_turns_in_the_largest() -> None:
    steps = streamed()
    (task,) = steps.tasks
    assert task.workspace == steps.program.steps[1].workspace
    assert all(task.workspace_of(step) == task.workspace for step in task.steps)
    without = Schedule(program_of(two_convolutions(has_sum=False)), steps.tasks)
    bare = replace(
        task, steps=tuple(replace(step, scratch=(), workspace=()) for step in task.steps)
    )
    assert not refused(steps, placed(steps))
    grown = placed(steps).arena_bytes - placed(replace(without, tasks=(bare,))).arena_bytes
    assert grown == max(SIZES)


@pytest.mark.parametrize("mode", list(Mode))
def test_the_schedule_counts_it(mode: Mode) -> None:
    """With the whole of what a stream saves as scratch memory of its steps, nothing streams."""
    program = program_of(two_convolutions(has_sum=True))
    plain = schedule(program, mode=Mode.AUTO)
    assert plain.tasks[0].is_streamed
    found = schedule(with_scratch(program, (1000, 8)), mode=mode)
    assert not refused(found, placed(found))
    if mode is Mode.AUTO:
        assert (
            placed(found).arena_bytes
            <= placed(schedule(with_scratch(program, (1000, 8)), mode=Mode.LAYER)).arena_bytes
        )


def test_a_buffer_that_is_too_small() -> None:
    """The first step's own, in which the second has no room: rows are next to it."""
    steps = streamed()
    (task,) = steps.tasks
    first = task.steps[0]
    assert first.workspace
    wrong = replace(task, steps=(first, replace(task.steps[1], workspace=first.workspace)))
    short = replace(steps, tasks=(wrong,))
    plan = placed(short)
    end, between = plan.arena_bytes, task.results[0].tensor

    def with_room(room: int) -> MemoryPlan:
        """The scratch memory behind all, and behind it the ring between the two steps."""
        offsets = {**plan.offsets, first.workspace[0]: end, between: end + room}
        return replace(plan, offsets=offsets, arena_bytes=end + 200)

    assert refused(short, with_room(SIZES[0]))
    assert not refused(short, with_room(SIZES[1]))


@pytest.mark.parametrize("ring", ["source", "between", "result"])
def test_scratch_over_rows(ring: str) -> None:
    """Over each ring of the stream."""
    steps = streamed()
    (task,) = steps.tasks
    plan = placed(steps)
    over = {"source": task.sources[0], "between": task.results[0], "result": task.results[1]}[ring]
    place_of = plan.offsets[over.tensor] + over.row_bytes - 4
    wrong = {**plan.offsets, task.workspace[0]: place_of // 4 * 4}
    assert refused(steps, replace(plan, offsets=wrong, arena_bytes=plan.arena_bytes + 100))


def test_scratch_that_is_not_aligned() -> None:
    steps = streamed()
    plan = placed(steps)
    (buffer,) = steps.tasks[0].workspace
    wrong = {**plan.offsets, buffer: plan.arena_bytes + 2}
    assert refused(steps, replace(plan, offsets=wrong, arena_bytes=plan.arena_bytes + 100))


def test_windows_that_slide() -> None:
    program = with_scratch(program_of(pairs.model()), SIZES)
    steps = slide(program, hop=2)
    plan = place(steps, lifetimes(steps), state_bytes=state_bytes(steps))
    (buffer,) = steps.tasks[0].workspace
    assert not refused(steps, plan)
    for ring in steps.tasks[0].rings[:-1]:
        wrong = {**plan.offsets, buffer: plan.offsets[ring.tensor] // 4 * 4}
        assert refused(steps, replace(plan, offsets=wrong, arena_bytes=plan.arena_bytes + 100))


def test_rows_that_are_pushed() -> None:
    program = with_scratch(program_of(two_convolutions(has_sum=False)), SIZES)
    steps = schedule(program, mode=Mode.AUTO, is_pushed=True)
    plan = placed(steps)
    assert steps.tasks[0].workspace
    assert not refused(steps, plan)
    (buffer,) = steps.tasks[0].workspace
    wrong = {**plan.offsets, buffer: plan.offsets[steps.tasks[0].sources[0].tensor]}
    assert refused(steps, replace(plan, offsets=wrong, arena_bytes=plan.arena_bytes + 100))
