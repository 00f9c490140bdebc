"""Kernels that make two rows at a time: what they keep between two rows is in memory of its own,
which the plan and its proof count."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.plan.test_broken_plans import refused
from tests.support.chained import chained
from tests.support.stages import selected
from tinyml_rules.compiler import compile_model
from tinyml_rules.ir.program import Program
from tinyml_rules.model_file.writer import build_model
from tinyml_rules.ops.conv_2d.cases import conv
from tinyml_rules.plan.lifetimes import lifetimes
from tinyml_rules.plan.memory_plan import MemoryPlan
from tinyml_rules.plan.place import place
from tinyml_rules.plan.schedule import Mode, schedule
from tinyml_rules.plan.streams import stream
from tinyml_rules.plan.tasks import Schedule
from tinyml_rules.request.request import Request
from tinyml_rules.target.target import load_target

ROWS, ROW_BYTES = 7, 128
LAYER = conv((1, ROWS, 8, 16), outputs=16)
MODEL = chained(LAYER, LAYER, LAYER)
PART = load_target("nrf52840")


def program() -> Program:
    """Three layers, each of which makes two rows at a time."""
    found = selected(MODEL, features=PART.features)
    assert [step.kernel.rows_at_once for step in found.steps] == [2, 2, 2]
    return found


def streamed() -> Schedule:
    steps = program()
    task = stream(steps, steps.steps)
    assert task is not None
    return Schedule(steps, (task,))


def placed(steps: Schedule) -> MemoryPlan:
    return place(steps, lifetimes(steps))


def test_memory() -> None:
    """One buffer in which all take turns, and a row that each keeps; a ring has one row more."""
    steps = streamed()
    (task,) = steps.tasks
    sizes = [steps.program.buffers[buffer].size_bytes for buffer in task.workspace]
    assert sizes[1:] == [ROW_BYTES] * 3
    assert sizes[0] == max(step.scratch[0].size_bytes for step in task.steps)
    assert [len(task.workspace_of(step)) for step in task.steps] == [2, 2, 2]
    assert [ring.capacity for ring in task.results[:-1]] == [4, 4]
    assert not refused(steps, placed(steps))


@pytest.mark.parametrize("mode", list(Mode))
def test_the_schedule_counts_it(mode: Mode) -> None:
    """What the search takes a plan to need is no less than what it needs."""
    steps = schedule(program(), mode=mode)
    plan = placed(steps)
    assert not refused(steps, plan)
    assert plan.arena_bytes >= plan.lower_bound_bytes > 0


@pytest.mark.parametrize("kept", [0, 1, 2])
@pytest.mark.parametrize("over", ["scratch", "kept", "ring"])
def test_faults(kept: int, over: str) -> None:
    """A kept row over the memory in which steps take turns, over another row that is kept, and over
    the rows between two steps."""
    steps = streamed()
    (task,) = steps.tasks
    plan = placed(steps)
    own = task.workspace[1 + kept]
    others = {
        "scratch": task.workspace[0],
        "kept": task.workspace[1 + (kept + 1) % 3],
        "ring": task.results[min(kept, 1)].tensor,
    }
    wrong = {**plan.offsets, own: plan.offsets[others[over]]}
    assert refused(steps, replace(plan, offsets=wrong))


def test_no_rows_of_their_own() -> None:
    """Steps that keep their rows in the same buffer, as they take turns in the other one."""
    steps = streamed()
    (task,) = steps.tasks
    first, *others = task.steps
    shared = [replace(each, workspace=(each.workspace[0], first.workspace[1])) for each in others]
    wrong = replace(steps, tasks=(replace(task, steps=(first, *shared)),))
    assert refused(wrong, placed(wrong))


def test_order() -> None:
    """Rows from the last to the first would be called for before they are made."""
    steps = schedule(program(), mode=Mode.LAYER)
    plan = placed(steps)
    assert not plan.descending
    assert not refused(steps, plan)
    assert refused(steps, replace(plan, descending=frozenset({1})))


def test_checked_builds() -> None:
    """What is kept is dead once every row of a pair was called for, and not before."""
    compiled = compile_model(
        Request(build_model(MODEL), "model", PART, schedule=Mode.STREAM, checked=True)
    )
    text = compiled.files["model.c"]
    poisoned = [line for line in text.splitlines() if "% 2 == 0) model_poison(" in line]
    assert len(poisoned) == 3
    assert all(f", {ROW_BYTES}, " in line for line in poisoned)
