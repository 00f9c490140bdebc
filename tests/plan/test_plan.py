"""The memory plan: proved, bounded, the same every time; and broken plans are caught."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.random_graphs import random_graph
from tests.support.stages import passed
from tinyml_rules.lower.select import select
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec
from tinyml_rules.ops import builtin_operators
from tinyml_rules.ops._shared.cases.case import quantized
from tinyml_rules.ops._shared.spatial import Padding
from tinyml_rules.ops.conv_2d.cases import conv
from tinyml_rules.ops.relu.cases import relu
from tinyml_rules.plan.lifetimes import lifetimes
from tinyml_rules.plan.memory_plan import MemoryPlan
from tinyml_rules.plan.place import place
from tinyml_rules.plan.schedule import Mode, schedule
from tinyml_rules.plan.tasks import Schedule
from tinyml_rules.plan.verify import verify_plan

graphs = st.builds(
    lambda seed, count: random_graph(seed, node_count=count),
    st.integers(0, 2**32),
    st.integers(1, 14),
)
seeded = settings(max_examples=60, derandomize=True, database=None)


def steps_of(model: ModelSpec, *, mode: Mode = Mode.AUTO) -> Schedule:
    """What the planner is given."""
    graph = passed(model)
    return schedule(select(graph, frozenset(), builtin_operators()), mode=mode)


def plan_of(steps: Schedule) -> MemoryPlan:
    """As the compiler makes it."""
    return place(steps, lifetimes(steps))


@seeded
@given(graphs)
def test_plan(model: ModelSpec) -> None:
    """Proved; no larger than all tensors side by side, no smaller than the bound."""
    steps = steps_of(model)
    plan = plan_of(steps)
    verify_plan(steps, plan)
    sizes = [lifetime.size_bytes for lifetime in plan.lifetimes]
    assert max(sizes) <= plan.lower_bound_bytes <= plan.arena_bytes <= sum(sizes)
    assert plan == plan_of(steps)
    assert plan.offsets.keys() == {lifetime.tensor for lifetime in plan.lifetimes}


@seeded
@given(graphs)
def test_lifetimes(model: ModelSpec) -> None:
    """Every buffer lives from its first write, in parts now and then, to its last read."""
    steps = steps_of(model, mode=Mode.LAYER)
    program = steps.program
    found = {lifetime.tensor: lifetime for lifetime in lifetimes(steps)}
    written = {program.buffer_of(tensor): -1 for tensor in program.graph.inputs}
    for number, step in enumerate(program.steps):
        for tensor in step.inputs:
            source = found[program.buffer_of(tensor)]
            assert source.first < number <= source.last
        for tensor in step.outputs:
            written.setdefault(program.buffer_of(tensor), number)
    assert written == {tensor: found[tensor].first for tensor in written}
    for tensor in program.graph.outputs:
        assert found[program.buffer_of(tensor)].last == len(program.steps)


@seeded
@given(graphs)
def test_overwritten_tensor_is_found(model: ModelSpec) -> None:
    """A tensor put where another one is that is read later: the proof fails.  Of a buffer that
    several tensors have parts of, nobody may read the part that is overwritten."""
    steps = steps_of(model)
    plan, program = plan_of(steps), steps.program
    shared = {
        program.buffer_of(tensor) for tensor in program.layouts if not program.has_all(tensor)
    }
    for old in plan.lifetimes:
        for new in plan.lifetimes:
            if old.first < new.first < old.last and old.tensor not in shared:
                with pytest.raises(AssertionError, match="overwritten"):
                    verify_plan(steps, moved(plan, new.tensor, plan.offsets[old.tensor]))


def moved(plan: MemoryPlan, tensor: int, offset: int) -> MemoryPlan:
    """The plan with one tensor elsewhere, in an arena that has room for it."""
    offsets = {**plan.offsets, tensor: offset}
    return replace(plan, offsets=offsets, arena_bytes=10 * plan.arena_bytes)


@pytest.mark.parametrize("offset", [-1, 64])
def test_tensor_outside_the_arena_is_found(offset: int) -> None:
    """Before its first byte, or behind its last."""
    steps = steps_of(relu((1, 64)))
    plan = plan_of(steps)
    assert plan.arena_bytes == 64
    broken = replace(plan, offsets={**plan.offsets, 1: offset})
    with pytest.raises(AssertionError, match="leaves the arena"):
        verify_plan(steps, broken)


def step_plan(
    model: ModelSpec, distance: int, *, is_descending: bool
) -> tuple[Schedule, MemoryPlan]:
    """A model of one node with the output `distance` bytes above its input."""
    steps = steps_of(model)
    program = steps.program
    (source,), (result,) = program.graph.inputs, program.graph.outputs
    offsets = {source: max(-distance, 0), result: max(distance, 0)}
    plan = replace(
        plan_of(steps),
        offsets=offsets,
        arena_bytes=4 * sum(tensor.count for tensor in program.graph.tensors),
        descending=frozenset({0} if is_descending else ()),
    )
    return steps, plan


VALID_CONV = conv((1, 6, 4, 2), (3, 1), outputs=2, padding=Padding.VALID)
"""4 of 6 rows of 8 bytes: row y reads rows y .. y + 2 and has the bytes of one of them."""
WIDER = conv((1, 2, 2, 1), (1, 1), outputs=3)
"""Four pixels, each of one byte in and three out."""


@pytest.mark.parametrize(
    ("model", "distance", "is_descending", "is_right"),
    [
        # a value for a value: exactly in place, or behind what is still read
        (relu((1, 64)), 0, False, True),
        (relu((1, 64)), -1, False, True),
        (relu((1, 64)), 1, False, False),
        # downwards in rows of four values, each row from its first value to its last
        (relu((16, 4)), 0, True, True),
        (relu((16, 4)), 3, True, False),
        (relu((16, 4)), 4, True, True),
        (relu((16, 4)), -1, True, False),
        # row y may be written once row y has been read for the last time
        (VALID_CONV, -8, False, True),
        (VALID_CONV, -7, False, False),
        (VALID_CONV, 24, True, True),
        (VALID_CONV, 23, True, False),
        # the fourth pixel ends at byte 12 of the output, and was at byte 3 of the input
        (WIDER, -9, False, True),
        (WIDER, -8, False, False),
        # downwards in rows of two pixels
        (WIDER, 2, True, True),
        (WIDER, 1, True, False),
    ],
)
def test_overlap(*, model: ModelSpec, distance: int, is_descending: bool, is_right: bool) -> None:
    """Where an output may lie over its input, to the byte, in either direction of the walk."""
    steps, plan = step_plan(model, distance, is_descending=is_descending)
    if is_right:
        verify_plan(steps, plan)
        return
    with pytest.raises(AssertionError, match="before it was read"):
        verify_plan(steps, plan)


def test_views_share_bytes() -> None:
    """RESHAPE costs nothing: a chain of views is stored once."""
    model = ModelSpec(
        tensors=tuple(
            quantized(f"t{index}", shape) for index, shape in enumerate([(2, 6), (12,)] * 2)
        ),
        operators=tuple(
            OperatorSpec("RESHAPE", (index,), (index + 1,), options_table="") for index in range(3)
        ),
        inputs=(0,),
        outputs=(3,),
    )
    steps = steps_of(model)
    plan = plan_of(steps)
    assert (plan.arena_bytes, plan.offsets) == (12, {0: 0})
    assert not steps.program.steps
