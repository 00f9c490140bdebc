"""Rows that lie in the slots of the rows made of them: planner, proof and generated code agree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.plan.separable import (
    copying_operators,
    depthwise,
    plain_kernel,
    pointwise,
    program_of,
    random_separable,
    small_chain,
)
from tests.plan.test_broken_plans import differs, refused
from tests.plan.test_random_chains import ram_bytes
from tests.plan.together import Variant, wrong_outputs
from tests.support.combined import target_or_skip
from tests.support.host import host, samples_and_truth
from tinyml_rules.compiler import compile_model
from tinyml_rules.ir.graph import Tensor
from tinyml_rules.ir.interface import ArenaMode
from tinyml_rules.ir.program import Step
from tinyml_rules.model_file.writer import build_model
from tinyml_rules.plan.inside import put_apart, put_inside, with_places
from tinyml_rules.plan.lifetimes import lifetimes
from tinyml_rules.plan.memory_plan import MemoryPlan
from tinyml_rules.plan.overlap import works_in_row
from tinyml_rules.plan.place import place
from tinyml_rules.plan.schedule import Mode, schedule
from tinyml_rules.plan.state import state_bytes
from tinyml_rules.plan.tasks import Ring, Schedule
from tinyml_rules.plan.verify import verify_plan
from tinyml_rules.plan.verify_layer import verify_row
from tinyml_rules.request.request import Request
from tinyml_rules.runners.model import run_model

PIXELS = [(1, 1, 1), (1, 3, 1), (1, 2, 5), (2, 3, 3), (3, 1, 4), (3, 2, 2), (4, 3, 2), (5, 2, 3)]
"""Width, bytes in, bytes out of a pixel."""
WAYS = ((Mode.AUTO, False), (Mode.AUTO, True), (Mode.STREAM, False))
MODELS = 18
COUNTERS_BYTES = 7 * 4
"""Of rows, of the input and of six steps."""


def planned(steps: Schedule) -> MemoryPlan:
    """A plan as it should be."""
    return place(steps, lifetimes(steps), state_bytes=state_bytes(steps))


def rows_inside(steps: Schedule) -> list[Ring]:
    """The rows that take no bytes."""
    return [ring for task in steps.tasks for ring in task.results if ring.inside is not None]


def chain_of(shape: tuple[int, int, int, int], *outputs: int, stride: int = 1) -> bytes:
    """A depthwise and a 1x1 convolution for each of `outputs`; of those, `stride` is the first
    one's."""
    chain = small_chain(shape)
    for number, each in enumerate(outputs):
        depthwise(chain, 3, stride if number == 0 else 1)
        pointwise(chain, each)
    return build_model(chain.model())


def steps_of(model: bytes, *, mode: Mode = Mode.STREAM, is_pushed: bool = False) -> Schedule:
    return schedule(program_of(model), mode=mode, is_pushed=is_pushed)


def pixel_step(width: int, channels: int, outputs: int) -> tuple[Step, Tensor, Tensor]:
    """A 1x1 convolution on rows of so many pixels, and its tensors."""
    program = program_of(chain_of((1, 4, width, channels), outputs))
    step = program.steps[1]
    tensors = program.graph.tensors
    return step, tensors[step.inputs[0]], tensors[step.output]


def survives(sizes: tuple[int, int, int], distance: int, *, copies: bool) -> bool:
    """Whether each pixel of a row `distance` bytes above the one made of it is read in time."""
    width, size, made = sizes
    written: set[int] = set()
    for pixel in range(width):
        now = range(pixel * made, (pixel + 1) * made)
        if not copies:
            written.update(now)
        if not written.isdisjoint(range(distance + pixel * size, distance + (pixel + 1) * size)):
            return False
        written.update(now)
    return True


@pytest.mark.parametrize("sizes", PIXELS)
@pytest.mark.parametrize("copies", [False, True])
def test_planner_and_proof_know_what_is_read_in_time(
    sizes: tuple[int, int, int], copies: bool
) -> None:
    width, size, made = sizes
    step, source, result = pixel_step(*sizes)
    step = replace(step, kernel=replace(step.kernel, copies_unit=copies))
    for distance in range(-width * size, width * made + 1):
        is_right = survives(sizes, distance, copies=copies)
        try:
            verify_row(step, width * size, width * made, distance)
        except AssertionError:
            assert not is_right, distance
        else:
            assert is_right, distance
    at_end = width * (made - size)
    assert works_in_row(step, source, result) == (
        at_end >= 0 and survives(sizes, at_end, copies=copies)
    )


@pytest.mark.parametrize("is_pushed", [False, True])
def test_it_never_takes_more(is_pushed: bool) -> None:
    """No arena with its sums is larger than where no kernel copies, many are smaller, and all are
    proved."""
    smaller = 0
    for number in range(MODELS):
        model = random_separable(number)
        taken = [
            ram_bytes(schedule(program_of(model, copies=copies), is_pushed=is_pushed))
            for copies in (True, False)
        ]
        assert taken[0] <= taken[1], number
        smaller += taken[0] < taken[1]
    assert smaller >= MODELS // 6


def variants(number: int) -> Iterator[tuple[Variant, Schedule]]:
    """Every second model is a checked build."""
    model = random_separable(number)
    samples, truth = samples_and_truth(model, count=4)
    for mode, is_pushed in WAYS:
        request = Request(
            model,
            f"m{number}_{mode}_{'pushed' if is_pushed else 'whole'}",
            host(),
            schedule=mode,
            push_rows=is_pushed,
            checked=number % 2 == 1,
            arena=list(ArenaMode)[number % 3],
            slices=number % 4 == 3 and not is_pushed,
            operators=copying_operators(),
        )
        found = schedule(program_of(model), mode=mode, is_pushed=is_pushed)
        yield Variant(compile_model(request), 4, samples, truth), found


def test_outputs_are_those_of_tflm(tmp_path: Path) -> None:
    """Chains of small images, plain and checked, of which many have rows inside others."""
    group = [each for number in range(MODELS) for each in variants(number)]
    rows = [rows_inside(steps) for _, steps in group]
    assert sum(map(bool, rows)) > MODELS
    assert any(ring.gap_bytes > 0 for each in rows for ring in each)
    assert wrong_outputs([each for each, _ in group], tmp_path) == []


def test_rows_take_the_end_of_the_slot() -> None:
    """Two 1x1 convolutions in a row: both rows end where the row of the last one ends."""
    chain = small_chain((1, 6, 3, 2))
    depthwise(chain, 3, 1)
    pointwise(chain, 3)
    pointwise(chain, 5)
    depthwise(chain, 3, 1)
    steps = steps_of(build_model(chain.model()), is_pushed=True)
    (task,) = steps.tasks
    first, second, third, _ = task.results
    assert [ring.row_bytes for ring in (first, second, third)] == [6, 9, 15]
    assert first.inside == second.tensor
    assert second.inside == third.tensor
    assert first.capacity == second.capacity == third.capacity == 3
    plan = planned(steps)
    assert plan.offsets[first.tensor] + 6 == plan.offsets[third.tensor] + 15
    assert {first.tensor, second.tensor}.isdisjoint(each.tensor for each in plan.lifetimes)
    verify_plan(steps, plan)


@pytest.mark.parametrize(("sizes", "shift"), [((2, 2), -2), ((2, 2), 1), ((2, 3), -3), ((1, 4), 1)])
def test_a_row_in_the_wrong_place(sizes: tuple[int, int], shift: int) -> None:
    """A pixel too low, where the row before it still is or pixels are written too early; a byte
    too high, where another row or another tensor is."""
    channels, outputs = sizes
    model = chain_of((1, 6, 3, channels), outputs, outputs)
    steps = steps_of(model, is_pushed=True)
    plan = planned(steps)
    assert not refused(steps, plan)
    (ring, *_) = rows_inside(steps)
    wrong = replace(plan, offsets={**plan.offsets, ring.tensor: plan.offsets[ring.tensor] + shift})
    assert refused(steps, wrong)


def test_a_kernel_that_reads_its_pixel_again(tmp_path: Path) -> None:
    """It only says that it copies: nothing but its outputs can tell.  Where it does not even say
    so, the proof refuses the plan."""
    model = chain_of((1, 6, 3, 3), 3)
    program = program_of(model)

    def with_kernel(*, copies: bool) -> Schedule:
        kernel = replace(plain_kernel(), copies_unit=copies)
        steps = tuple(
            replace(step, kernel=kernel) if step.node.op == "conv_2d" else step
            for step in program.steps
        )
        found = schedule(replace(program, steps=steps), mode=Mode.STREAM)
        (task,) = found.tasks
        inside = put_inside(put_apart(task), {1: 0})
        return replace(found, tasks=(inside,))

    lying, honest = with_kernel(copies=True), with_kernel(copies=False)
    assert not refused(lying, planned(lying))
    assert differs(lying, planned(lying), model, is_checked=True, folder=tmp_path)
    assert refused(honest, planned(honest))


def test_the_result_over_the_source_counts_the_earlier_write() -> None:
    """With a stride of two, rows of the result that are written a turn earlier may lie over far
    fewer of the source's: the row then keeps a place of its own."""
    steps = steps_of(chain_of((1, 12, 4, 1), 9, stride=2))
    assert rows_inside(steps) == []
    verify_plan(steps, planned(steps))
    pushed = steps_of(chain_of((1, 12, 4, 1), 9, stride=2), is_pushed=True)
    assert pushed.pushed_ring is not None and pushed.pushed_ring.is_lent
    assert rows_inside(pushed) == []
    verify_plan(pushed, planned(pushed))


def test_a_row_that_the_user_places_is_apart() -> None:
    """Only that one."""
    steps = steps_of(chain_of((1, 8, 3, 3), 3, 3), is_pushed=True)
    first, second = rows_inside(steps)
    apart = with_places(steps, [first.tensor])
    assert [ring.tensor for ring in rows_inside(apart)] == [second.tensor]
    found = place(apart, lifetimes(apart), regions={first.tensor: "fast"})
    verify_plan(apart, found)
    assert found.region_bytes["fast"] == first.row_bytes


PARTS = {
    "nrf52840": ((64, 66, 66, 71), "conv_2d_pair_pixels_of_two"),
    "atmega1284p": ((16, 18, 18, 23), "conv_2d_unsigned_pixels"),
    "xtensa_lx6": ((16, 20, 20, 24), "conv_2d_offset_pixels_mac16"),
    "esp8266": ((16, 20, 20, 24), "conv_2d_offset_pixels_mul16s"),
}
"""Channels of the input and of 1x1 convolutions, and the kernel that reads a block of pixels before
it writes; some are left over where the kernel takes such."""


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("width", [4, 5])
def test_kernels_read_their_pixels_first(part: str, width: int, tmp_path: Path) -> None:
    """Rows of 4 and 5 pixels: the last block of one is smaller.  Dead bytes are overwritten."""
    (channels, *outputs), kernel = PARTS[part]
    target = target_or_skip(part)
    chain = small_chain((1, 5, width, channels))
    for each in outputs:
        depthwise(chain, 3, 1)
        pointwise(chain, each, has_relu=True)
    model = build_model(chain.model())
    options = {"schedule": Mode.STREAM, "push_rows": True, "checked": True}
    request = Request.of(model, "chain", target, options)
    compiled = compile_model(request)
    assert compiled.files["chain.c"].count(f"chain_{kernel}") > len(outputs)
    # two rings of three rows, and a whole result
    rows = 3 * (channels + outputs[0] + outputs[1]) + 5 * outputs[2]
    assert compiled.report.arena_bytes <= width * rows + COUNTERS_BYTES
    samples, truth = samples_and_truth(model, count=3)
    assert run_model(compiled, target, samples, folder=tmp_path).output == truth
