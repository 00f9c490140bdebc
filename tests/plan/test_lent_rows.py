"""The end of a stream's result lies over the ring of pushed rows, as its slots die."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from tests.plan.chains import Chain, random_chain, resize, spread, surround
from tests.plan.test_broken_plans import SAME, activation, differs, refused, weights
from tests.plan.together import Variant, wrong_outputs
from tests.support.host import host, program_of, samples_and_truth
from tinyml_rules.compiler import compile_model
from tinyml_rules.ir.interface import ArenaMode
from tinyml_rules.ir.program import Form
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, TensorSpec, build_model
from tinyml_rules.plan.lifetimes import lifetimes
from tinyml_rules.plan.memory_plan import MemoryPlan
from tinyml_rules.plan.place import place
from tinyml_rules.plan.schedule import schedule
from tinyml_rules.plan.streams import stream
from tinyml_rules.plan.tasks import Ring, Schedule
from tinyml_rules.plan.verify import verify_plan
from tinyml_rules.request.request import Request

SEEDS = (0, 1, 3, 14, 17, 36, 37, 41, 47, 114)
"""Of chains whose arena becomes smaller: a window or values first, layers behind or none, the first
row in the first slot or in another."""
SAMPLES = 3


def chain(seed: int) -> bytes:
    """A model file."""
    generator = np.random.default_rng(seed)
    return random_chain(
        lambda low, high: int(generator.integers(low, high + 1)),
        (spread, spread, resize, resize, surround),
        heights=(6, 24),
    )


def two_convolutions(rows: int) -> bytes:
    """Of 3 x 3, with images of one shape."""
    shape = (1, rows, 4, 2)
    tensors = (
        replace(activation("in"), shape=shape),
        weights("w"),
        replace(activation("middle"), shape=shape),
        weights("ww"),
        replace(activation("end"), shape=shape),
    )
    options = {"Padding": SAME, "StrideW": 1, "StrideH": 1}
    convolutions = (
        OperatorSpec("CONV_2D", (0, 1, -1), (2,), options, version=3),
        OperatorSpec("CONV_2D", (2, 3, -1), (4,), options, version=3),
    )
    return build_model(ModelSpec(tensors, convolutions, (0,), (4,)))


def lent(model: bytes) -> tuple[Schedule, MemoryPlan]:
    """All steps in one stream of pushed rows, whose ring is lent."""
    program = program_of(model)
    task = stream(program, program.steps, is_pushed=True)
    assert task is not None
    steps = with_ring(Schedule(program, (task,), is_pushed=True), is_lent=True)
    return steps, place(steps, lifetimes(steps))


def with_ring(steps: Schedule, *, is_lent: bool, kind: type[Ring] = Ring) -> Schedule:
    """The schedule with another ring of pushed rows."""
    first, *rest = steps.tasks
    (old,) = first.sources
    ring = kind(old.tensor, old.rows, old.capacity, old.row_bytes, is_lent=is_lent)
    return replace(steps, tasks=(replace(first, sources=(ring,)), *rest))


def variants(seed: int) -> Iterator[Variant]:
    """Plain and checked."""
    model = chain(seed)
    samples, truth = samples_and_truth(model, count=SAMPLES)
    for is_checked in (False, True):
        name = f"m{seed}_{'checked' if is_checked else 'plain'}"
        arena = list(ArenaMode)[seed % 3]
        request = Request(model, name, host(), push_rows=True, checked=is_checked, arena=arena)
        yield Variant(compile_model(request), SAMPLES, samples, truth)


def test_the_arena_becomes_smaller() -> None:
    """Than without, of each of the models below; their streams begin in every way."""
    ways = set()
    for seed in SEEDS:
        program = program_of(chain(seed))
        steps = schedule(program, is_pushed=True)
        ring = steps.pushed_ring
        assert ring is not None and ring.is_lent
        plan = place(steps, lifetimes(steps))
        verify_plan(steps, plan)
        apart = with_ring(steps, is_lent=False)
        assert plan.arena_bytes < place(apart, lifetimes(apart)).arena_bytes
        first, *rest = steps.tasks
        ways.add((first.steps[0].kernel.form, ring.phase > 0, bool(rest)))
    values = {(Form.POINTWISE, False, True), (Form.POINTWISE, False, False)}
    assert ways == {(Form.WINDOW, *each) for each in product((True, False), repeat=2)} | values


def test_outputs_are_those_of_tflm(tmp_path: Path) -> None:
    group = [each for seed in SEEDS for each in variants(seed)]
    assert wrong_outputs(group, tmp_path) == []


def test_each_row_of_the_result_follows_the_rows_that_die(tmp_path: Path) -> None:
    """Row 4 of 8 is made while the last 3 rows of the input are needed, and row 5 while 2 are, so
    that it is in the first slot; then all are dead, and rows 6 and 7 are in the other slots."""
    model = two_convolutions(rows=8)
    steps, plan = lent(model)
    ring = steps.pushed_ring
    assert ring is not None and (ring.capacity, ring.phase) == (3, 1)
    (result,) = steps.tasks[0].results[1:]
    assert plan.offsets[ring.tensor] - plan.offsets[result.tensor] == 5 * ring.row_bytes
    assert not refused(steps, plan)
    assert not differs(steps, plan, model, is_checked=True, folder=tmp_path)


@pytest.mark.parametrize("is_checked", [False, True])
def test_a_row_too_many_over_the_ring(is_checked: bool, tmp_path: Path) -> None:
    model = two_convolutions(rows=8)
    steps, plan = lent(model)
    ring = steps.pushed_ring
    assert ring is not None
    offsets = {**plan.offsets, ring.tensor: plan.offsets[ring.tensor] - ring.row_bytes}
    broken = replace(plan, offsets=offsets)
    assert refused(steps, broken)
    assert differs(steps, broken, model, is_checked=is_checked, folder=tmp_path)


class OffByOne(Ring):
    """Row 0 is a slot too far."""

    @property
    def phase(self) -> int:
        return super().phase + 1


@pytest.mark.parametrize("is_checked", [False, True])
def test_a_ring_that_begins_a_slot_too_far(is_checked: bool, tmp_path: Path) -> None:
    """The last row is in the first slot, which is given to the result before that row is read."""
    model = two_convolutions(rows=8)
    steps, plan = lent(model)
    broken = with_ring(steps, is_lent=True, kind=OffByOne)
    assert refused(broken, plan)
    assert differs(broken, plan, model, is_checked=is_checked, folder=tmp_path)


def test_where_nothing_is_saved_the_ring_begins_with_row_0() -> None:
    """The layers behind the stream take more than it does."""
    model = Chain(lambda low, _high: low)
    model.activation((1, 8, 4, 2))
    model.append("CONV_2D", model.weights((2, 3, 3, 2), taps=18), shape=(1, 6, 2, 2), **_valid())
    model.append("FULLY_CONNECTED", model.weights((100, 24), taps=24), shape=(1, 100))
    model.append("FULLY_CONNECTED", model.weights((100, 100), taps=100), shape=(1, 100))
    file = build_model(model.model())
    ring = schedule(program_of(file), is_pushed=True).pushed_ring
    assert ring is not None and not ring.is_lent and ring.rows % ring.capacity
    text = compile_model(Request(file, "m", host(), push_rows=True)).files["m.c"]
    assert "phase" not in text and f"pushed[0] % {ring.capacity}" in text


def _valid() -> dict[str, int]:
    return {"Padding": 1, "StrideW": 1, "StrideH": 1}


def test_a_checked_build_overwrites_nothing_behind_a_tensor(tmp_path: Path) -> None:
    """Rows of padding at the end need no row of the input: the first row that they could need is
    behind it, where another tensor is."""
    pads = np.array([(0, 0), (0, 2), (0, 3), (0, 0)], np.int32)
    matrix = np.random.default_rng(1).integers(-127, 128, (2, 60)).astype(np.int8)
    tensors = (
        TensorSpec("in", (1, 13, 1, 1), scales=(0.5,), zero_points=(3,)),
        TensorSpec("pads", (4, 2), "INT32", data=pads),
        TensorSpec("padded", (1, 15, 4, 1), scales=(0.5,), zero_points=(3,)),
        TensorSpec("w", (2, 60), scales=(0.01,), zero_points=(0,), data=matrix),
        TensorSpec("out", (1, 2), scales=(0.5,), zero_points=(3,)),
    )
    operators = (
        OperatorSpec("PAD", (0, 1), (2,), {}, version=1),
        OperatorSpec("FULLY_CONNECTED", (2, 3), (4,), {}, version=1),
    )
    model = build_model(ModelSpec(tensors, operators, (0,), (4,)))
    program = program_of(model)
    task = stream(program, program.steps)
    assert task is not None
    steps = Schedule(program, (task,))
    plan = place(steps, lifetimes(steps))
    source, ring = task.sources[0].tensor, task.results[0].tensor
    assert plan.offsets[ring] == plan.offsets[source] + 13
    assert not differs(steps, plan, model, is_checked=True, folder=tmp_path)
