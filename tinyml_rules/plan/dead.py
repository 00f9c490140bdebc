"""Schedule and plan -> the bytes that are not read again, for builds that overwrite them."""

from __future__ import annotations

from collections.abc import Iterator

from tinyml_rules.plan.lifetimes import lives_on
from tinyml_rules.plan.memory_plan import MAIN, MemoryPlan
from tinyml_rules.plan.tasks import Schedule


def dead_bytes(schedule: Schedule, plan: MemoryPlan, task: int) -> tuple[range, ...]:
    """Ranges of the main arena that are free after a task, lowest first; task -1: before the first.

    Pushed rows arrive later: before the first of them their ring is dead.
    """
    kept = sorted(_kept(schedule, plan, task))
    dead = []
    end = plan.state_bytes
    for begin, stop in [*kept, (plan.arena_bytes, plan.arena_bytes)]:
        if begin > end:
            dead.append(range(end, begin))
        end = max(end, stop)
    return tuple(dead)


def _kept(schedule: Schedule, plan: MemoryPlan, task: int) -> Iterator[tuple[int, int]]:
    buffers, variables = schedule.program.buffers, schedule.program.variables
    for each in plan.lifetimes:
        if schedule.slide is not None and lives_on(schedule, each):
            if plan.region(each.tensor) == MAIN:
                offset = plan.offsets[each.tensor]
                yield offset, offset + each.size_bytes
            continue
        # nobody outside its task can read a ring: it holds a few of the tensor's rows
        is_ring = each.size_bytes < buffers[each.tensor].size_bytes
        is_to_come = task == -1 and schedule.is_pushed and each.tensor not in variables
        if plan.region(each.tensor) != MAIN or is_ring or is_to_come:
            continue
        if each.first <= task < each.last:
            offset = plan.offsets[each.tensor]
            yield offset, offset + each.size_bytes


def dies_in(plan: MemoryPlan, tensor: int, task: int) -> bool:
    """Whether no later task reads a stored tensor."""
    return all(each.last <= task for each in plan.lifetimes if each.tensor == tensor)
