"""The proof of windows that slide refuses plans that are broken on purpose, and its figures are
those of layers counted by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.conftest import ZooModel
from tests.pairs import requests as pairs
from tests.support.host import host, program_of
from tinyml_rules.compiler import compile_model
from tinyml_rules.plan.lifetimes import lifetimes
from tinyml_rules.plan.place import place
from tinyml_rules.plan.slide import slide
from tinyml_rules.plan.state import state_bytes
from tinyml_rules.plan.tasks import Ring, Schedule, Shared
from tinyml_rules.plan.verify import verify_plan
from tinyml_rules.reporting.parts import Pushes
from tinyml_rules.request.request import Request

HOP = 2


def refused(steps: Schedule) -> bool:
    """Whether the proof finds a mistake, of a plan with places for the rings of the schedule."""
    plan = place(steps, lifetimes(steps), state_bytes=state_bytes(steps))
    try:
        verify_plan(steps, plan)
    except AssertionError:
        return True
    return False


def with_shared(steps: Schedule, position: int, change: Callable[[Shared], Shared]) -> Schedule:
    """The schedule with other shared rows of one ring."""
    assert steps.slide is not None
    shared = list(steps.slide.shared)
    shared[position] = change(shared[position])
    return replace(steps, slide=replace(steps.slide, shared=tuple(shared)))


def with_capacity(steps: Schedule, position: int, less: int) -> Schedule:
    """The schedule with fewer rows in a ring."""
    task = steps.tasks[0]
    rings = list(task.rings)
    rings[position] = replace(rings[position], capacity=rings[position].capacity - less)
    count = len(task.sources)
    task = replace(task, sources=tuple(rings[:count]), results=tuple(rings[count:]))
    return replace(steps, tasks=(task, *steps.tasks[1:]))


@pytest.fixture(scope="module")
def sound() -> Schedule:
    """Two windows of three rows, the second with a stride, and a dense layer."""
    return slide(program_of(pairs.model()), HOP)


def test_a_sound_plan(sound: Schedule) -> None:
    assert sound.slide is not None
    assert [each.edge is not None for each in sound.slide.shared] == [False, True, True, False]
    assert not refused(sound)


@pytest.mark.parametrize("position", [0, 1])
def test_a_ring_with_a_row_less(sound: Schedule, position: int) -> None:
    assert refused(with_capacity(sound, position, 1))


@pytest.mark.parametrize("position", [1, 2, 3])
def test_an_edge_row_that_is_taken_for_a_shared_one(sound: Schedule, position: int) -> None:
    assert refused(with_shared(sound, position, lambda each: replace(each, first=each.first - 1)))


def test_a_shared_row_that_is_left_out(sound: Schedule) -> None:
    """Of the sums; the row of another layer would be made for the window after this."""
    assert refused(with_shared(sound, 3, lambda each: replace(each, end=each.end - 1)))


@pytest.mark.parametrize("position", [1, 2, 3])
def test_edge_rows_that_are_left_out(sound: Schedule, position: int) -> None:
    def fewer(each: Shared) -> Shared:
        return replace(each, lower=range(each.lower.start + 1, each.lower.stop))

    assert refused(with_shared(sound, position, fewer))


def test_edge_rows_too_early(sound: Schedule) -> None:
    assert sound.slide is not None
    early = replace(sound.slide, upper_at=sound.slide.upper_at - 1)
    assert refused(replace(sound, slide=early))


def test_rows_too_early(sound: Schedule) -> None:
    assert refused(with_shared(sound, 1, lambda each: replace(each, delay=each.delay - 1)))


def test_a_ring_that_others_overwrite(sound: Schedule) -> None:
    """One that the plan takes for free after each row."""
    assert refused(with_shared(sound, 1, lambda each: replace(each, is_kept=False)))


def test_edge_rows_with_one_less_at_a_time(zoo_model: ZooModel) -> None:
    """Of the second layer of kws, three at a time."""
    steps = slide(program_of(zoo_model("kws").read_bytes()), HOP)

    def smaller(each: Shared) -> Shared:
        edge: Ring | None = each.edge
        assert edge is not None
        return replace(each, edge=replace(edge, capacity=edge.capacity - 1))

    assert not refused(steps)
    assert refused(with_shared(steps, 1, smaller))


@pytest.mark.parametrize(
    ("name", "hop", "pushes"),
    [
        ("speech", 2, Pushes(2, 25, 92_800, 52_480)),
        ("speech", 10, Pushes(10, 5, 144_000, 42_240)),
        ("kws", 2, Pushes(2, 25, 1_105_408, 553_088)),
        ("kws", 10, Pushes(10, 5, 1_530_368, 553_088)),
        ("kws", 48, Pushes(48, 2, 2_656_768, 553_088)),
    ],
)
def test_work_of_the_zoo(name: str, hop: int, pushes: Pushes, zoo_model: ZooModel) -> None:
    """speech: a row of CONV_2D is 12,800 products, a window's dense layer 16,000.  By 2 rows a
    window has one new shared row and five edge rows; two of those, a shared row and what 22 windows
    make of theirs are one push.  kws by 48: all that a whole inference has."""
    data = zoo_model(name).read_bytes()
    made = compile_model(Request(data, name, host(), push_rows=True, slide=hop))
    assert made.report.pushes == pushes
    assert 12_800 * 6 + 16_000 == 92_800
    assert 3 * 12_800 + 22 * 640 == 52_480
