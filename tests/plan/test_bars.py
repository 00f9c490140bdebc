"""The zoo's arenas stay as small as they are known to be."""

from __future__ import annotations

import pytest

from tests.conftest import ZooModel
from tests.support.host import program_of
from tinyml_rules.compiler import compile_model
from tinyml_rules.ir.program import Program
from tinyml_rules.plan.lifetimes import lifetimes
from tinyml_rules.plan.memory_plan import MemoryPlan
from tinyml_rules.plan.place import place
from tinyml_rules.plan.schedule import Mode, schedule
from tinyml_rules.plan.verify import verify_plan
from tinyml_rules.request.request import Request
from tinyml_rules.target.target import load_target

BARS = (
    ("sine", False, 32),
    ("kws", False, 5930),
    ("kws", True, 5540),
    ("ad", False, 768),
    ("speech", False, 2120),
    ("speech", True, 560),
    ("person_detect", False, 14592),
    ("person_detect", True, 14208),
)


COPYING_BARS = (
    ("kws", False, 5252),
    ("kws", True, 4904),
    ("person_detect", False, 14040),
    ("person_detect", True, 12924),
)
"""With sums, counters and scratch memory (that of kws' widest layer is 346 bytes), on an nRF52840,
whose 1x1 kernels have read a pixel before they write."""


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


@pytest.mark.parametrize(("name", "is_pushed", "bar_bytes"), COPYING_BARS)
def test_arena_of_kernels_that_copy(
    name: str, is_pushed: bool, bar_bytes: int, zoo_model: ZooModel
) -> None:
    """The same as the compiler plans it."""
    model, target = zoo_model(name).read_bytes(), load_target("nrf52840")
    report = compile_model(Request(model, name, target, push_rows=is_pushed)).report
    assert report.arena_bytes <= bar_bytes
    assert report.arena_is_optimal
