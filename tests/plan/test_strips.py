"""Streams whose rows are made in pieces: planner, proof and generated code agree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import ZooModel
from tests.plan.chains import random_chain
from tests.plan.separable import (
    copying_operators,
    depthwise,
    pointwise,
    program_of,
    random_separable,
    small_chain,
)
from tests.plan.test_broken_plans import refused
from tests.plan.together import Variant, wrong_outputs
from tests.support.combined import target_or_skip
from tests.support.host import host, samples_and_truth
from tinyml_rules.compiler import Compiled, compile_model, select_program
from tinyml_rules.errors import UnsupportedError
from tinyml_rules.ir.interface import ArenaMode
from tinyml_rules.model_file.writer import build_model
from tinyml_rules.plan import whole
from tinyml_rules.plan.groups import Ram
from tinyml_rules.plan.lifetimes import lifetimes
from tinyml_rules.plan.memory_plan import MemoryPlan
from tinyml_rules.plan.place import place
from tinyml_rules.plan.schedule import Mode, schedule
from tinyml_rules.plan.state import state_bytes
from tinyml_rules.plan.strips import shelf_of
from tinyml_rules.plan.tasks import Schedule, Task
from tinyml_rules.plan.verify import verify_plan
from tinyml_rules.request.request import Request
from tinyml_rules.runners.model import run_model
from tinyml_rules.target.target import load_target

PARTS = (1, 2, 3, 5)
MODELS = 12
SAMPLES = 3

BARS = (
    ("kws", False, 1, 3972),
    ("kws", True, 1, 3624),
    ("person_detect", False, 5, 12960),
    ("person_detect", True, 1, 11556),
    ("person_detect", True, 2, 11156),
)
"""Of the zoo on an nRF52840, with so many pieces to a row; with rows that each have a place of
their own it is 5,252, 4,904, 14,040 and 12,924 bytes."""


def planned(steps: Schedule) -> MemoryPlan:
    return place(steps, lifetimes(steps), state_bytes=state_bytes(steps))


def divided(steps: Schedule) -> list[Task]:
    """The streams in pieces."""
    return [task for task in steps.tasks if task.is_in_pieces]


def model_of(number: int) -> bytes:
    """Depthwise and 1x1 convolutions on wide images, on small ones, or anything else."""
    if number % 4 == 1:
        return random_separable(number)
    generator = np.random.default_rng(number)

    def pick(low: int, high: int) -> int:
        return int(generator.integers(low, high + 1))

    if number % 4 == 3:
        return random_chain(pick)
    chain = small_chain((1, pick(5, 9), pick(6, 17), pick(1, 3)))
    for _ in range(pick(2, 4)):
        depthwise(chain, pick(2, 4), 1 + pick(0, 2) // 2)
        if pick(0, 2):
            pointwise(chain, pick(1, 5))
    return build_model(chain.model())


def needed_in(turn: int, strips: list[int | None]) -> set[int]:
    """The strips that a turn of a step reads or writes: what is inside another is in that one."""
    makers = (turn, turn - 1) if turn else (turn,)
    return {next(n for n in range(maker, len(strips)) if strips[n] is not None) for maker in makers}


def test_shelf_of_any_stream() -> None:
    """What a turn needs lies apart, and no more bytes are taken than some turn needs."""
    generator = np.random.default_rng(1)
    for _ in range(300):
        count = int(generator.integers(2, 9))
        strips = [int(each) if each else None for each in generator.integers(0, 6, count)]
        strips[-1] = 0
        scratch = [int(each) for each in generator.integers(0, 4, count)]
        shelf, most = shelf_of(strips, scratch), 0
        for turn in range(count):
            places = [(shelf.strips[n], strips[n] or 0) for n in needed_in(turn, strips)]
            places.append((shelf.scratch[turn], scratch[turn]))
            places = sorted(each for each in places if each[1])
            assert all(at + size <= other for (at, size), (other, _) in pairwise(places))
            assert all(at >= 0 and at + size <= shelf.size_bytes for at, size in places)
            most = max(most, sum(size for _, size in places))
        assert shelf.size_bytes == most


@pytest.mark.parametrize("is_pushed", [False, True])
def test_every_plan_is_proved(is_pushed: bool) -> None:
    """Whatever the parts, wherever steps can run together; some take less than rows do."""
    smaller = count = 0
    for number in range(2 * MODELS):
        program = program_of(model_of(number))
        try:
            rows = planned(schedule(program, is_pushed=is_pushed, mode=Mode.STREAM)).arena_bytes
        except UnsupportedError:
            continue
        for parts in PARTS:
            steps = schedule(program, is_pushed=is_pushed, mode=Mode.STREAM, parts=parts)
            plan = planned(steps)
            verify_plan(steps, plan)
            count += bool(divided(steps))
            smaller += plan.arena_bytes < rows
    assert count > 3 * MODELS
    assert smaller > MODELS


def compiled_in(
    parts: int, number: int, monkeypatch: pytest.MonkeyPatch, *, is_pushed: bool
) -> Compiled:
    """Every third model is a checked build."""
    monkeypatch.setattr(
        whole,
        "schedule",
        lambda program, **options: schedule(program, **{**options, "parts": parts}),
    )
    request = Request(
        model_of(number),
        f"m{number}_{parts}_{'pushed' if is_pushed else 'whole'}",
        host(),
        schedule=Mode.STREAM,
        push_rows=is_pushed,
        checked=number % 3 == 1,
        arena=list(ArenaMode)[number % 3],
        operators=copying_operators(),
    )
    return compile_model(request)


def variants(number: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[Variant]:
    """Those with pieces, of whole rows and of parts."""
    samples, truth = samples_and_truth(model_of(number), count=SAMPLES)
    for parts in (1, PARTS[1 + number % 3]):
        for is_pushed in (False, True):
            try:
                compiled = compiled_in(parts, number, monkeypatch, is_pushed=is_pushed)
            except UnsupportedError:
                assert is_pushed
                continue
            if "pixels_ready" in compiled.files[f"{compiled.interface.name}.c"]:
                yield Variant(compiled, SAMPLES, samples, truth)


def test_outputs_are_those_of_tflm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Plain and checked builds under sanitizers, with and without pixels that are saved."""
    group = [each for number in range(MODELS) for each in variants(number, monkeypatch)]
    texts = [each.compiled.files[f"{each.name}.c"] for each in group]
    assert len(group) > 2 * MODELS
    assert sum("that were saved after the slots" in text for text in texts) > MODELS // 3
    assert wrong_outputs(group, tmp_path) == []


@pytest.fixture(scope="module")
def broken() -> tuple[Schedule, MemoryPlan]:
    """A sound plan of four steps in three pieces to a row, to be broken."""
    chain = small_chain((1, 9, 12, 2))
    depthwise(chain, 3, 1)
    depthwise(chain, 3, 2)
    pointwise(chain, 3)
    depthwise(chain, 3, 1)
    program = program_of(build_model(chain.model()))
    steps = schedule(program, is_pushed=True, mode=Mode.STREAM, parts=3)
    plan = planned(steps)
    (task,) = divided(steps)
    assert [ring.saved for ring in task.results] == [2, 0, 2, 0]
    assert [ring.capacity for ring in task.results] == [2, 0, 2, 5]
    assert task.results[1].inside == task.results[2].tensor
    assert not refused(steps, plan)
    return steps, plan


@pytest.mark.parametrize(
    ("place_of", "changes"),
    [
        (0, {"saved": 1}),
        (0, {"capacity": 1}),
        (0, {"strip": 5}),
        (0, {"strip_at": 9}),
        (2, {"strip_at": 1}),
        (2, {"saved": 0}),
        (2, {"piece": 1}),
        (2, {"capacity": 3}),
        (0, {"shelf_bytes": 20}),
        (0, {"shelf_at": 40}),
        (1, {"inside": None}),
    ],
)
def test_the_proof_finds(
    place_of: int, changes: dict[str, int], broken: tuple[Schedule, MemoryPlan]
) -> None:
    """Strips that are too short, or where others are; rows or pixels that are not kept."""
    steps, plan = broken
    (task,) = steps.tasks
    results = list(task.results)
    results[place_of] = replace(results[place_of], **changes)  # type: ignore[arg-type]
    wrong = replace(steps, tasks=(replace(task, results=tuple(results)),))
    assert refused(wrong, plan)


@pytest.mark.parametrize(("name", "is_pushed", "parts", "bar_bytes"), BARS)
def test_bars(name: str, is_pushed: bool, parts: int, bar_bytes: int, zoo_model: ZooModel) -> None:
    """Arenas with sums, counters and scratch memory."""
    options = {"push_rows": is_pushed}
    request = Request.of(zoo_model(name).read_bytes(), name, load_target("nrf52840"), options)
    steps = schedule(select_program(request), is_pushed=is_pushed, parts=parts)
    plan = planned(steps)
    verify_plan(steps, plan)
    assert plan.arena_bytes <= bar_bytes


def test_only_where_memory_is_short(zoo_model: ZooModel) -> None:
    """No pieces where the model has room; with a limit, as few as it allows."""
    model = zoo_model("kws").read_bytes()
    texts = {}
    for ram in (Ram.FASTEST, 4904, 4530):
        options = {"push_rows": True, "ram": ram}
        compiled = compile_model(Request.of(model, "kws", load_target("nrf52840"), options))
        texts[ram] = compiled.files["kws.c"]
        assert ram == Ram.FASTEST or compiled.report.arena_bytes <= ram
    assert texts[Ram.FASTEST] == texts[4904]
    assert "pixels_ready" not in texts[4904]
    assert "pixels_ready" in texts[4530]


@pytest.mark.parametrize("part", ["nrf52840", "atmega1284p"])
@pytest.mark.parametrize("is_checked", [False, True])
def test_kws_in_less_than_4_kb(
    part: str, is_checked: bool, zoo_model: ZooModel, tmp_path: Path
) -> None:
    """Rows are pushed, and no product is computed again."""
    model, target = zoo_model("kws").read_bytes(), target_or_skip(part)
    options = {"push_rows": True, "ram": Ram.LEAST, "checked": is_checked}
    compiled = compile_model(Request.of(model, "kws", target, options))
    assert compiled.report.arena_bytes <= 3624
    samples, truth = samples_and_truth(model, count=2)
    assert run_model(compiled, target, samples, folder=tmp_path).output == truth
