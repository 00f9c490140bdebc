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
    tasks = sorted({lifetime.first for lifetime in lifetimes})
    alive = {
        tuple(place for place, each in enumerate(lifetimes) if each.first <= task <= each.last)
        for task in tasks
    }
    return max(_bound_of(group, lifetimes, pairs) for group in sorted(alive))


def _bound_of(
    group: tuple[int, ...], lifetimes: Sequence[Lifetime], pairs: Sequence[Relation]
) -> int:
    number = {place: position for position, place in enumerate(group)}
    inside = [pair for pair in pairs if pair.first in number and pair.second in number]
    tensors = [lifetimes[place] for place in group]
    if all(option.task is None for pair in inside for option in pair.options):
        return sum(lifetime.size_bytes for lifetime in tensors)  # nothing here may overlap
    largest = max(lifetime.size_bytes for lifetime in tensors)
    renumbered = [_renumber(pair, number) for pair in inside]
    best = search(tensors, renumbered, lower_bound_bytes=largest, budget=TASK_BUDGET)
    return best.arena_bytes if best.is_proved else largest


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
