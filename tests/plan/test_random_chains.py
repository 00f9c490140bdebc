"""Any chain of operators is planned soundly in every schedule, and computes what TFLM computes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.plan.chains import (
    Maker,
    convolution,
    join,
    part,
    random_chain,
    resize,
    scale,
    spread,
    surround,
)
from tests.plan.together import Variant, wrong_outputs
from tests.support.host import host, program_of, samples_and_truth
from tinyml_rules.compiler import compile_model
from tinyml_rules.errors import UnsupportedError
from tinyml_rules.ir.interface import ArenaMode
from tinyml_rules.ir.program import Form, Program
from tinyml_rules.plan.lifetimes import lifetimes
from tinyml_rules.plan.place import place
from tinyml_rules.plan.schedule import Mode, schedule
from tinyml_rules.plan.tasks import Schedule
from tinyml_rules.plan.verify import verify_plan
from tinyml_rules.request.request import Request
from tinyml_rules.target.target import Target
from tinyml_rules.target.toolchain import Memory, MemoryRegion

MODELS = 20
"""Of each kind; random graphs of all operators are as many as `conformance` is told."""
MODELS_A_BINARY = 20
SAMPLES = 4
SCHEDULES = ((Mode.LAYER, False), (Mode.AUTO, False), (Mode.AUTO, True), (Mode.STREAM, False))
STREAMING = ((Mode.AUTO, False), (Mode.STREAM, False), (Mode.STREAM, True))
"""Those in which streams have branches; the last one wherever rows can be pushed."""


IMAGES = (spread, spread, resize, resize, surround)
"""Operators that make more rows than they read."""
BRANCHES = (join, join, part, scale, scale)
"""Operators that join images, part them, and read one for each channel."""


@st.composite
def chains(draw: st.DrawFn, more: tuple[Maker, ...] = ()) -> bytes:
    """A model file."""
    return random_chain(lambda low, high: draw(st.integers(low, high)), more)


def ram_bytes(steps: Schedule) -> int:
    """Arena and sums of a schedule whose plan is proved."""
    plan = place(steps, lifetimes(steps))
    verify_plan(steps, plan)
    assert plan.arena_bytes >= plan.lower_bound_bytes >= 0
    assert all(offset >= 0 for offset in plan.offsets.values())
    last = [task.steps[-1] for task in steps.tasks]
    return plan.arena_bytes + sum(4 * step.sums for step in last if step.kernel.form is Form.ROWS)


def schedules_of(program: Program) -> Iterator[Schedule]:
    """By layers, as is best, and with rows pushed where that is possible."""
    yield schedule(program, mode=Mode.LAYER)
    yield schedule(program, mode=Mode.AUTO)
    try:
        yield schedule(program, mode=Mode.AUTO, is_pushed=True)
    except UnsupportedError:
        return


SOUND = settings(
    derandomize=True,
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@SOUND
@given(chains())
def test_every_schedule_is_sound_and_streams_save(model: bytes) -> None:
    layer, auto, *_ = map(ram_bytes, schedules_of(program_of(model)))
    assert auto <= layer


@SOUND
@given(chains(IMAGES))
def test_every_schedule_of_larger_images_is_sound(model: bytes) -> None:
    layer, auto, *_ = map(ram_bytes, schedules_of(program_of(model)))
    assert auto <= layer


@settings(SOUND, max_examples=30)
@given(chains(BRANCHES))
def test_every_schedule_of_branches_is_sound(model: bytes) -> None:
    layer, auto, *_ = map(ram_bytes, schedules_of(program_of(model)))
    assert auto <= layer


def target_with_regions() -> Target:
    """The host, with room for tensors in a second memory."""
    anywhere = MemoryRegion(origin=0, bytes=2**30)
    memory = Memory(flash=anywhere, ram=anywhere, regions={"fast": anywhere})
    return replace(host(), memory=memory)


def variants(
    number: int,
    more: tuple[Maker, ...] = (),
    *,
    begins: tuple[Maker, ...] = (),
    schedules: Sequence[tuple[Mode, bool]] = SCHEDULES,
) -> Iterator[Variant]:
    """Every second model is a checked build, every fifth has its ends in a region of their own."""
    generator = np.random.default_rng(number)
    model = random_chain(
        lambda low, high: int(generator.integers(low, high + 1)), more, begins=begins
    )
    graph = program_of(model).graph
    ends = dict.fromkeys((f"#{graph.inputs[0]}", f"#{graph.outputs[0]}"), "fast")
    samples, truth = samples_and_truth(model, count=SAMPLES)
    for mode, is_pushed in schedules:
        request = Request(
            model,
            f"m{number}_{mode}_{'pushed' if is_pushed else 'whole'}",
            target_with_regions(),
            schedule=mode,
            push_rows=is_pushed,
            checked=number % 2 == 1,
            arena=list(ArenaMode)[number % 3],
            places=tuple(ends.items()) if number % 5 == 4 else (),
        )
        try:
            yield Variant(compile_model(request), SAMPLES, samples, truth)
        except UnsupportedError:
            assert is_pushed


def covered_sources(number: int) -> int:
    """How many streams of a model have their result over what they begin with."""
    generator = np.random.default_rng(number)
    model = random_chain(lambda low, high: int(generator.integers(low, high + 1)))
    steps = schedule(program_of(model), mode=Mode.STREAM)
    plan = place(steps, lifetimes(steps))
    found = 0
    for task in steps.tasks:
        for source in task.sources:
            distance = plan.offsets[source.tensor] - plan.offsets[task.results[-1].tensor]
            found += -source.size_bytes < distance < task.results[-1].size_bytes
    return found


def test_streams_cover_their_sources() -> None:
    """Often enough among the models that are run below, for a result in the wrong place to show."""
    assert sum(map(covered_sources, range(MODELS))) >= MODELS // 2


@pytest.mark.parametrize("first", range(0, MODELS, MODELS_A_BINARY))
def test_outputs_are_those_of_tflm(first: int, tmp_path: Path) -> None:
    """In every schedule and arena, plain and checked, many models in one binary."""
    group = [each for number in range(first, first + MODELS_A_BINARY) for each in variants(number)]
    assert wrong_outputs(group, tmp_path) == []


@pytest.mark.parametrize("first", range(0, MODELS, MODELS_A_BINARY))
def test_outputs_of_larger_images_are_those_of_tflm(first: int, tmp_path: Path) -> None:
    """The same with operators that make more rows than they read."""
    numbers = range(first, first + MODELS_A_BINARY)
    group = [each for number in numbers for each in variants(number, IMAGES)]
    assert wrong_outputs(group, tmp_path) == []


def test_outputs_of_branches_are_those_of_tflm(tmp_path: Path) -> None:
    """The same with images that are joined and parted, and factors for each channel; many take
    their rows one by one, and streams of them go through joins."""
    numbers = range(MODELS_A_BINARY)
    group = [
        each
        for number in numbers
        for each in variants(number, BRANCHES, begins=(convolution,), schedules=STREAMING)
    ]
    assert wrong_outputs(group, tmp_path) == []
    pushed = [each.compiled for each in group if each.compiled.interface.pushed_rows]
    streamed = {
        node.op
        for compiled in pushed
        for node in compiled.report.nodes
        if compiled.report.streams and node.node in compiled.report.streams[0]
    }
    assert len(pushed) >= MODELS_A_BINARY // 2
    assert "concatenation" in streamed
