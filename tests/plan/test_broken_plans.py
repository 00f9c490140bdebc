"""Plans broken on purpose, past the proof that would refuse them: a checked build shows it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.support.host import program_of, run_on_host, samples_and_truth
from tinyml_rules.emit.emit import emit
from tinyml_rules.emit.interface import describe
from tinyml_rules.ir.interface import ArenaMode
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, TensorSpec, build_model
from tinyml_rules.plan.lifetimes import lifetimes
from tinyml_rules.plan.memory_plan import Lifetime, MemoryPlan
from tinyml_rules.plan.place import place
from tinyml_rules.plan.schedule import Mode, schedule
from tinyml_rules.plan.streams import stream
from tinyml_rules.plan.tasks import Schedule
from tinyml_rules.plan.verify import verify_plan
from tinyml_rules.target.target import load_target

SAME = 0


def activation(name: str) -> TensorSpec:
    """An image of 8 x 4 pixels."""
    return TensorSpec(name, (1, 8, 4, 2), scales=(0.5,), zero_points=(3,))


def weights(name: str) -> TensorSpec:
    """Three by three, different for each name."""
    values = np.random.default_rng(len(name)).integers(-127, 128, (2, 3, 3, 2)).astype(np.int8)
    return TensorSpec(name, values.shape, scales=(0.01,), zero_points=(0,), data=values)


def two_convolutions(*, has_sum: bool) -> bytes:
    """in -> conv -> conv; with a sum, the input is added to the result, so it lives on."""
    names = ("in", "w", "middle", "ww", "end", "sum")
    tensors = tuple(weights(each) if "w" in each else activation(each) for each in names)
    options = {"Padding": SAME, "StrideW": 1, "StrideH": 1}
    convolutions = (
        OperatorSpec("CONV_2D", (0, 1, -1), (2,), options, version=3),
        OperatorSpec("CONV_2D", (2, 3, -1), (4,), options, version=3),
    )
    if not has_sum:
        return build_model(ModelSpec(tensors[:5], convolutions, (0,), (4,)))
    total = OperatorSpec("ADD", (4, 0), (5,), {}, version=2)
    return build_model(ModelSpec(tensors, (*convolutions, total), (0,), (5,)))


def planned(model: bytes, mode: Mode) -> tuple[Schedule, MemoryPlan]:
    """A plan as it should be."""
    steps = schedule(program_of(model), mode=mode)
    return steps, place(steps, lifetimes(steps))


def streamed(model: bytes) -> Schedule:
    """All steps row by row, whether that pays or not."""
    program = program_of(model)
    task = stream(program, program.steps)
    assert task is not None
    return Schedule(program, (task,))


def differs(
    steps: Schedule,
    plan: MemoryPlan,
    model: bytes,
    *,
    is_checked: bool,
    folder: Path,
    count: int = 4,
) -> bool:
    """Whether the outputs of the generated code are wrong for any of so many samples."""
    interface = describe(steps, ArenaMode.STATIC)
    files = emit(
        steps, plan, interface, {}, target=load_target("host"), is_checked=is_checked
    ).files
    samples, truth = samples_and_truth(model, count=count)
    return run_on_host(files, interface, samples, folder=folder) != truth


def refused(steps: Schedule, plan: MemoryPlan) -> bool:
    """Whether the proof finds it."""
    try:
        verify_plan(steps, plan)
    except AssertionError:
        return True
    return False


@pytest.mark.parametrize("mode", list(Mode))
def test_a_sound_plan_stays_right(mode: Mode, tmp_path: Path) -> None:
    model = two_convolutions(has_sum=True)
    steps, plan = planned(model, mode)
    assert not refused(steps, plan)
    assert not differs(steps, plan, model, is_checked=True, folder=tmp_path)


def test_an_output_over_rows_still_needed(tmp_path: Path) -> None:
    """One row less between an output and the input that it overwrites."""
    model = two_convolutions(has_sum=False)
    steps, plan = planned(model, Mode.LAYER)
    offsets = dict(plan.offsets)
    high = max(offsets, key=lambda tensor: offsets[tensor])
    offsets[high] -= 8
    broken = replace(plan, offsets=offsets)
    assert refused(steps, broken)
    assert differs(steps, broken, model, is_checked=True, folder=tmp_path)


def test_a_lifetime_that_ends_too_early(tmp_path: Path) -> None:
    """The input is still to be added.  Its bytes happen not to be given to anyone else, so the
    plain build is right by luck, and nothing but the poison shows the mistake."""
    model = two_convolutions(has_sum=True)
    steps, plan = planned(model, Mode.LAYER)
    apart, top = {}, 0
    for each in plan.lifetimes:
        apart[each.tensor] = top
        top += each.size_bytes
    wrong = tuple(
        Lifetime(each.tensor, each.size_bytes, each.first, min(each.last, 1))
        if each.tensor == 0
        else each
        for each in plan.lifetimes
    )
    lucky = MemoryPlan(top, apart, wrong, frozenset(), top)
    plain, checked = tmp_path / "plain", tmp_path / "checked"
    assert not differs(steps, lucky, model, is_checked=False, folder=plain)
    assert differs(steps, lucky, model, is_checked=True, folder=checked)


def test_a_ring_with_a_row_too_few(tmp_path: Path) -> None:
    """A ring of two rows under a window of three."""
    model = two_convolutions(has_sum=False)
    steps = streamed(model)
    (task,) = steps.tasks
    rings = tuple(
        replace(ring, capacity=2) if ring.capacity == 3 else ring for ring in task.results
    )
    assert rings != task.results
    short = replace(steps, tasks=(replace(task, results=rings),))
    plan = place(short, lifetimes(short))
    assert refused(short, plan)
    assert differs(short, plan, model, is_checked=True, folder=tmp_path)


def test_a_window_that_reads_a_row_too_far_up(tmp_path: Path) -> None:
    """The planner takes a window of the second convolution to begin a row later than its kernel
    reads: the row above is dead to the plan, and only a checked build overwrites it."""
    model = two_convolutions(has_sum=False)
    steps = streamed(model)
    (task,) = steps.tasks
    first, second = task.steps
    assert second.window is not None
    late = replace(second, window=replace(second.window, pad_top=0))
    wrong = replace(steps, tasks=(replace(task, steps=(first, late)),))
    plan = place(wrong, lifetimes(wrong))
    plain, checked = tmp_path / "plain", tmp_path / "checked"
    assert not differs(wrong, plan, model, is_checked=False, folder=plain)
    assert differs(wrong, plan, model, is_checked=True, folder=checked)


def test_a_stream_too_far_into_its_source(tmp_path: Path) -> None:
    """Each row of the result lies over the row of the source before the first that is still to be
    read: a byte further up is too far."""
    model = two_convolutions(has_sum=False)
    steps = streamed(model)
    plan = place(steps, lifetimes(steps))
    result = steps.tasks[0].results[-1].tensor
    assert plan.offsets[steps.tasks[0].sources[0].tensor] == plan.offsets[result]
    assert not refused(steps, plan)
    assert not differs(steps, plan, model, is_checked=True, folder=tmp_path / "right")
    offsets = {**plan.offsets, result: plan.offsets[result] + 1}
    broken = replace(plan, offsets=offsets)
    assert refused(steps, broken)
    assert differs(steps, broken, model, is_checked=False, folder=tmp_path / "broken")


def test_an_output_in_a_ring_of_a_few_rows(tmp_path: Path) -> None:
    """The input is an output too, and only one of its rows is kept.  The rows of these samples are
    all alike, so that the plain build is right by luck."""
    tensors = tuple(
        TensorSpec(name, (1, 8, 4, 2), scales=(0.5,), zero_points=(-128,)) for name in ("in", "out")
    )
    relu = OperatorSpec("RELU", (0,), (1,))
    model = build_model(ModelSpec(tensors, (relu,), (0,), (1, 0)))
    program = program_of(model)
    task = stream(program, program.steps, is_pushed=True)
    assert task is not None and task.sources[0].capacity == 1
    steps = Schedule(program, (task,), is_pushed=True)
    plan = place(steps, lifetimes(steps))
    assert refused(steps, plan)
    plain, checked = tmp_path / "plain", tmp_path / "checked"
    assert not differs(steps, plan, model, is_checked=False, folder=plain, count=2)
    assert differs(steps, plan, model, is_checked=True, folder=checked, count=2)
