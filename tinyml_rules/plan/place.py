"""Lifetimes and relations -> the memory plan: a lower bound first, then the search for it."""

from __future__ import annotations

from collections.abc import Sequence

from tinyml_rules.plan.memory_plan import Lifetime, MemoryPlan
from tinyml_rules.plan.relations import Option, Relation, relations
from tinyml_rules.plan.search import search
from tinyml_rules.plan.tasks import Schedule

BUDGET = 4000
"""Nodes that the search may visit; models of ordinary size need far fewer for a proof."""
TASK_BUDGET = 500
"""The same for the tensors of a single task, which are a handful."""


def place(schedule: Schedule, lifetimes: Sequence[Lifetime]) -> MemoryPlan:
    """The smallest arena found for the schedule's tensors, and how small it could be at best."""
    pairs = relations(schedule, lifetimes)
    bound = _lower_bound(lifetimes, pairs)
    best = search(lifetimes, pairs, lower_bound_bytes=bound, budget=BUDGET)
    return MemoryPlan(
        arena_bytes=best.arena_bytes,
        offsets={
            lifetime.tensor: offset
            for lifetime, offset in zip(lifetimes, best.offsets, strict=True)
        },
        lifetimes=tuple(lifetimes),
        descending=best.descending,
        lower_bound_bytes=best.arena_bytes if best.is_proved else bound,
    )


def _lower_bound(lifetimes: Sequence[Lifetime], pairs: Sequence[Relation]) -> int:
    """The most that the tensors of a single task need among themselves."""
    return max(task_needs(lifetimes, pairs).values())


def task_needs(lifetimes: Sequence[Lifetime], pairs: Sequence[Relation]) -> dict[int, int]:
    """By the task at which a tensor is born: the bytes below which its live tensors cannot fit."""
    return {
        task: _bound_of(
            {place for place, each in enumerate(lifetimes) if each.first <= task <= each.last},
            lifetimes,
            pairs,
        )
        for task in sorted({lifetime.first for lifetime in lifetimes})
    }


def _bound_of(group: set[int], lifetimes: Sequence[Lifetime], pairs: Sequence[Relation]) -> int:
    """What the tensors of a group need, all of which are alive at the same time.

    One that may overlap nothing adds its size: taking its bytes out of a placement and closing
    the gap leaves a placement of the others.  Only the others are searched.
    """
    inside = [pair for pair in pairs if pair.first in group and pair.second in group]
    overlapping = [pair for pair in inside if any(each.task is not None for each in pair.options)]
    joined = sorted({place for pair in overlapping for place in (pair.first, pair.second)})
    apart = sum(lifetimes[place].size_bytes for place in group.difference(joined))
    if not joined:
        return apart
    number = {place: position for position, place in enumerate(joined)}
    tensors = [lifetimes[place] for place in joined]
    among = [_renumber(each, number) for each in inside if {each.first, each.second} <= set(joined)]
    largest = max(lifetime.size_bytes for lifetime in tensors)
    best = search(tensors, among, lower_bound_bytes=largest, budget=TASK_BUDGET)
    return apart + (best.arena_bytes if best.is_proved else largest)


def _renumber(pair: Relation, number: dict[int, int]) -> Relation:
    options = tuple(
        Option(
            number[option.above],
            number[option.below],
            option.distance_bytes,
            option.task,
            option.is_descending,
        )
        for option in pair.options
    )
    return Relation(number[pair.first], number[pair.second], options)
