"""The groups that are found are the best of small chains, and lower all peaks of large programs."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from tests.support.host import program_of
from tests.support.large_models import bottlenecks
from tinyml_rules.errors import UnsupportedError
from tinyml_rules.ir.program import Program
from tinyml_rules.lower.choice import Choice
from tinyml_rules.lower.groups import Grouping, Span
from tinyml_rules.model_file.writer import (
    OPTIONAL,
    ModelSpec,
    OperatorSpec,
    TensorSpec,
    build_model,
)
from tinyml_rules.ops import builtin_operators
from tinyml_rules.plan.cut import Cutter
from tinyml_rules.plan.facts import Fact, fact_of
from tinyml_rules.plan.groups import chosen
from tinyml_rules.plan.lifetimes import lifetimes
from tinyml_rules.plan.memory_plan import MemoryPlan
from tinyml_rules.plan.pieces import Pieces
from tinyml_rules.plan.place import place
from tinyml_rules.plan.promise import Promise
from tinyml_rules.plan.schedule import schedule
from tinyml_rules.plan.state import state_bytes
from tinyml_rules.plan.tasks import Schedule

CHAINS = 40
MOST_STEPS = 6
CHANNELS = (2, 4, 8, 16, 24)


def convolutions(number: int) -> bytes:
    """Three to six convolutions, each of the whole image, of each channel or of single pixels."""
    generator = np.random.default_rng(number)
    size, channels = int(generator.integers(6, 13)), int(generator.choice(CHANNELS))
    tensors = [TensorSpec("in", (1, size, size, channels), scales=(0.5,), zero_points=(0,))]
    operators: list[OperatorSpec] = []
    current = 0
    for step in range(int(generator.integers(3, MOST_STEPS + 1))):
        is_depthwise = bool(generator.integers(0, 2))
        window = 3 if is_depthwise else int(generator.choice((1, 3)))
        stride = int(generator.choice((1, 1, 2)))
        made = channels if is_depthwise else int(generator.choice(CHANNELS))
        shape = (1 if is_depthwise else made, window, window, channels)
        weights = generator.integers(-127, 128, shape).astype(np.int8)
        size, channels = -(-size // stride), made
        tensors += [
            TensorSpec(f"w{step}", shape, scales=(0.01,), zero_points=(0,), data=weights),
            TensorSpec(f"t{step}", (1, size, size, channels), scales=(0.5,), zero_points=(0,)),
        ]
        options = {"Padding": 0, "StrideW": stride, "StrideH": stride}
        name = "CONV_2D"
        if is_depthwise:
            name, options["DepthMultiplier"] = "DEPTHWISE_CONV_2D", 1
        inputs = (current, len(tensors) - 2, OPTIONAL)
        current = len(tensors) - 1
        operators.append(OperatorSpec(name, inputs, (current,), options))
    return build_model(ModelSpec(tuple(tensors), tuple(operators), (0,), (current,)))


def planned(program: Program, *, is_pushed: bool = False) -> tuple[Schedule, MemoryPlan]:
    steps = schedule(program, is_pushed=is_pushed)
    return steps, place(steps, lifetimes(steps), state_bytes=state_bytes(steps))


def grouping_of(model: bytes) -> Grouping:
    return Grouping(program_of(model), builtin_operators(), Choice())


def least(grouping: Grouping, *, is_pushed: bool = False) -> MemoryPlan:
    """The last plan of the curve."""

    def planned_so(program: Program) -> tuple[Schedule, MemoryPlan]:
        return planned(program, is_pushed=is_pushed)

    return chosen(grouping, planned_so, planned_so(grouping.program), most_bytes=0)[1]


def all_spans(grouping: Grouping, at: int = 0) -> Iterator[tuple[Span, ...]]:
    """All sets of groups that do not meet, of the steps from a place on."""
    count = len(grouping.program.steps)
    if at == count:
        yield ()
        return
    yield from all_spans(grouping, at + 1)
    for end in range(at + 2, count + 1):
        if grouping.group((at, end)) is not None:
            yield from (((at, end), *rest) for rest in all_spans(grouping, end))


@cache
def both(is_pushed: bool) -> tuple[tuple[int, int], ...]:
    """(bytes of the curve's last point, the fewest of all sets of groups), by chain in which groups
    take less."""
    found = []
    for number in range(CHAINS):
        grouping = grouping_of(convolutions(number))
        try:
            programs = map(grouping.grouped, all_spans(grouping))
            ways = [planned(each, is_pushed=is_pushed)[1].arena_bytes for each in programs]
        except UnsupportedError:
            continue
        if min(ways) < ways[0]:
            found.append((least(grouping, is_pushed=is_pushed).arena_bytes, min(ways)))
    return tuple(found)


@pytest.mark.parametrize(("is_pushed", "misses"), [(False, 0), (True, 1)])
def test_the_least_of_all_sets_of_groups(is_pushed: bool, misses: int) -> None:
    """What is missed is the counter of a row: a group has none for the rows inside of it."""
    found = both(is_pushed)
    assert len(found) >= (14 if is_pushed else 5)
    missed = [(taken, fewest) for taken, fewest in found if taken > fewest]
    assert len(missed) <= misses
    assert all(taken - fewest <= 4 for taken, fewest in missed)


@pytest.mark.parametrize("is_pushed", [False, True])
@pytest.mark.parametrize("number", range(6, 12))
def test_estimates_are_those_of_the_whole_program(number: int, is_pushed: bool) -> None:
    """Although only the tasks around the groups are looked at."""
    grouping = grouping_of(convolutions(number))
    pieces, most_bytes = Pieces(grouping.program), 2**20

    def groups(spans: tuple[Span, ...]) -> dict[int, Fact]:
        steps = {span: grouping.group(span) for span in spans}
        return {
            begin: fact_of(step, grouping.program, places=end - begin)
            for (begin, end), step in steps.items()
            if step is not None
        }

    found = list(all_spans(grouping))
    promise = Promise(pieces, groups(found[0]), is_pushed=is_pushed, most_bytes=most_bytes)
    for spans in found[1:]:
        cutter = Cutter(
            Pieces(grouping.grouped(spans)),
            is_pushed=is_pushed,
            has_streams=True,
            has_limit=True,
            ram_bytes=0,
        )
        lowest = min(cutter.lowest_peak(lends=lends) for lends in {False, is_pushed})
        estimated = promise.estimate(groups(spans))
        promise = promise.with_groups(groups(spans))
        assert (promise.lowest, estimated) == (lowest, (True, lowest))


@pytest.mark.parametrize("count", [30, 102])
def test_all_peaks_are_lowered_together(count: int) -> None:
    """Each bottleneck is as high as the others: a single group would save nothing."""
    grouping = grouping_of(bottlenecks(count))
    plan = least(grouping)
    assert (plan.curve[0].ram_bytes, plan.arena_bytes) == (2560, 1392)
    assert all(one.ram_bytes > other.ram_bytes for one, other in pairwise(plan.curve))
    assert all(one.products < other.products for one, other in pairwise(plan.curve))
    assert plan.more_products < 0.45
