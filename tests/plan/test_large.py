"""Large models are planned well, in work and memory that grow no faster than they do.

Counted, not timed: `python -m benchmarks.planning` has the seconds.
"""

from __future__ import annotations

import sys
import tracemalloc
from collections.abc import Callable
from functools import partial
from types import FrameType
from typing import Any

import pytest

from tests.support.host import host, program_of
from tests.support.large_models import (
    LARGE,
    blocks,
    branches,
    convolutions,
    foldable,
    own_constants,
    relus,
    tangle,
)
from tinyml_rules.compiler import compile_model
from tinyml_rules.model_file.reader import read_model
from tinyml_rules.ops import load_operators
from tinyml_rules.overview.facts import overview
from tinyml_rules.plan.lifetimes import lifetimes
from tinyml_rules.plan.memory_plan import MemoryPlan
from tinyml_rules.plan.place import place
from tinyml_rules.plan.schedule import Mode, schedule
from tinyml_rules.plan.verify import verify_plan
from tinyml_rules.request.request import Request

MEGABYTE = 2**20


def planned(model: bytes, mode: Mode = Mode.AUTO) -> MemoryPlan:
    """The proved plan of a model."""
    steps = schedule(program_of(model), mode=mode)
    plan = place(steps, lifetimes(steps))
    verify_plan(steps, plan)
    return plan


@pytest.mark.parametrize("mode", list(Mode))
def test_a_thousand_nodes(mode: Mode) -> None:
    """The least that the schedule allows."""
    assert planned(blocks(1000), mode).is_optimal


def test_many_branches() -> None:
    """One after the other is joined, whatever order the file has: the input, the sum so far and the
    next branch as a row of 32 bytes."""
    plan = planned(branches(200))
    assert (plan.arena_bytes, plan.is_optimal) == (544, True)


def test_a_tangle() -> None:
    """Most tensors wait for a late reader: there is no search, and yet a proof."""
    plan = planned(tangle(1000))
    assert plan.is_optimal
    assert plan.arena_bytes <= 355 * 256


def test_streams_in_a_row_never_take_more_than_layers() -> None:
    """Two convolutions at a time could lie over their source by themselves; but each result begins
    a row below its source, so that not all of them can."""
    auto, layer = (planned(convolutions(60), mode).arena_bytes for mode in (Mode.AUTO, Mode.LAYER))
    assert (auto, layer) == (448, 448)


def calls_of(function: Callable[[], object]) -> int:
    """How many Python functions are called, steps of generators among them."""
    count = 0

    def note(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event == "call"

    sys.setprofile(note)
    try:
        function()
    finally:
        sys.setprofile(None)
    return count


def compiled(model: bytes) -> None:
    """Through every stage, the picture and the text included."""
    compile_model(Request(model, "large", host()))


def lines_of(function: Callable[[], object]) -> int:
    """How many lines of Python run."""
    count = 0

    def note(_frame: FrameType, event: str, _argument: object) -> Callable[..., Any]:
        nonlocal count
        count += event == "line"
        return note

    sys.settrace(note)
    try:
        function()
    finally:
        sys.settrace(None)
    return count


def inspected(model: bytes) -> None:
    """What `inspect` makes of it."""
    operators = load_operators(())
    overview(read_model(model, name="large", operators=operators), operators, file_bytes=0)


@pytest.mark.parametrize("build", [relus, blocks, own_constants, foldable])
def test_twice_the_nodes_are_twice_the_work(build: Callable[[int], bytes]) -> None:
    """In all stages; none looks at every pair of nodes.  The picture merges beyond 300 tensors."""
    models = [build(count) for count in (20, 320, 640)]  # the first one loads what all have
    _, once, twice = (calls_of(partial(compiled, model)) for model in models)
    assert 1.5 * once < twice < 2.2 * once


@pytest.mark.parametrize("build", [relus, own_constants, foldable])
def test_inspecting_twice_the_nodes(build: Callable[[int], bytes]) -> None:
    """The same of `inspect`, by lines, among them those of a search in a loop without calls."""
    models = [build(count) for count in (20, 150, 300)]
    _, once, twice = (lines_of(partial(inspected, model)) for model in models)
    assert 1.5 * once < twice < 2.2 * once


@pytest.mark.parametrize("case", ["values 2^24", "rows 2^24", "window 2^24"])
def test_a_huge_tensor_takes_little_memory(case: str) -> None:
    """No stage holds anything for each of its 2^24 bytes."""
    model = LARGE[case]()
    tracemalloc.start()
    try:
        compiled(model)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 24 * MEGABYTE
