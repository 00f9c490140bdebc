"""The zoo's arenas stay as small as they are known to be, and large graphs can be planned."""

from __future__ import annotations

import numpy as np
import pytest

from tests.conftest import ZooModel
from tests.support.host import program_of
from tinyml_rules.ir.program import Program
from tinyml_rules.plan.lifetimes import lifetimes
from tinyml_rules.plan.memory_plan import MemoryPlan
from tinyml_rules.plan.place import place
from tinyml_rules.plan.schedule import Mode, schedule
from tinyml_rules.plan.verify import verify_plan
from tinyml_rules.writer import OPTIONAL, ModelSpec, OperatorSpec, TensorSpec, build_model

BARS = (
    ("sine", False, 32),
    ("kws", False, 5930),
    ("kws", True, 5604),
    ("ad", False, 768),
    ("speech", False, 2120),
    ("speech", True, 564),
    ("person_detect", False, 14592),
    ("person_detect", True, 14496),
)
IMAGE = (1, 8, 8, 4)


def planned(program: Program, *, mode: Mode = Mode.AUTO, is_pushed: bool = False) -> MemoryPlan:
    """The proved plan of a program."""
    steps = schedule(program, mode=mode, is_pushed=is_pushed)
    plan = place(steps, lifetimes(steps))
    verify_plan(steps, plan)
    return plan


@pytest.mark.parametrize(("name", "is_pushed", "bar_bytes"), BARS)
def test_arena(name: str, is_pushed: bool, bar_bytes: int, zoo_model: ZooModel) -> None:
    """No more than that, and proved to be the least that the schedule allows."""
    plan = planned(program_of(zoo_model(name).read_bytes()), is_pushed=is_pushed)
    assert plan.arena_bytes <= bar_bytes
    assert plan.is_optimal


def long_chain(count: int) -> bytes:
    """RELU, CONV_2D and ADD by turns; each ADD takes the result of the ADD before it as well."""
    values = np.random.default_rng(1).integers(-127, 128, (4, 3, 3, 4)).astype(np.int8)
    weights = TensorSpec("w", values.shape, scales=(0.01,), zero_points=(0,), data=values)
    tensors = [TensorSpec("in", IMAGE, scales=(0.5,), zero_points=(0,)), weights]
    operators = []
    current = before = 0
    for number in range(count):
        name = ("RELU", "CONV_2D", "ADD")[number % 3]
        operands = {"RELU": (), "CONV_2D": (1, OPTIONAL), "ADD": (before,)}[name]
        options = {"Padding": 0, "StrideW": 1, "StrideH": 1} if name == "CONV_2D" else {}
        tensors.append(TensorSpec(f"t{number}", IMAGE, scales=(0.5,), zero_points=(0,)))
        result = len(tensors) - 1
        operators.append(OperatorSpec(name, (current, *operands), (result,), options))
        current = result
        before = result if name == "ADD" else before
    return build_model(ModelSpec(tuple(tensors), tuple(operators), (0,), (current,)))


@pytest.mark.parametrize("mode", list(Mode))
def test_a_thousand_nodes(mode: Mode) -> None:
    """Planned in seconds; the planner counts nodes of its search, never time."""
    plan = planned(program_of(long_chain(1000)), mode=mode)
    assert plan.is_optimal
