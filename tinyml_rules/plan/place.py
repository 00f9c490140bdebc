"""Lifetimes and relations -> the memory plan: a lower bound first, then the search for it."""

from __future__ import annotations

from collections.abc import Sequence

from tinyml_rules.ir.program import Program
from tinyml_rules.plan.memory_plan import Lifetime, MemoryPlan
from tinyml_rules.plan.relations import Option, Relation, relations
from tinyml_rules.plan.search import search

BUDGET = 4000
"""Nodes that the search may visit; models of ordinary size need far fewer for a proof."""
STEP_BUDGET = 500
"""The same for the tensors of a single step, which are a handful."""


def place(program: Program, lifetimes: Sequence[Lifetime]) -> MemoryPlan:
    """The smallest arena found for the program's tensors, and how small it could be at best."""
    pairs = relations(program, lifetimes)
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
    """The most that the tensors of a single step need among themselves."""
    steps = sorted({lifetime.first for lifetime in lifetimes})
    alive = {
        tuple(place for place, each in enumerate(lifetimes) if each.first <= step <= each.last)
        for step in steps
    }
    return max(_bound_of(group, lifetimes, pairs) for group in sorted(alive))


def _bound_of(
    group: tuple[int, ...], lifetimes: Sequence[Lifetime], pairs: Sequence[Relation]
) -> int:
    number = {place: position for position, place in enumerate(group)}
    inside = [pair for pair in pairs if pair.first in number and pair.second in number]
    tensors = [lifetimes[place] for place in group]
    largest = max(lifetime.size_bytes for lifetime in tensors)
    renumbered = [_renumber(pair, number) for pair in inside]
    best = search(tensors, renumbered, lower_bound_bytes=largest, budget=STEP_BUDGET)
    return best.arena_bytes if best.is_proved else largest


def _renumber(pair: Relation, number: dict[int, int]) -> Relation:
    options = tuple(
        Option(
            number[option.above],
            number[option.below],
            option.distance_bytes,
            option.step,
            option.is_descending,
        )
        for option in pair.options
    )
    return Relation(number[pair.first], number[pair.second], options)
