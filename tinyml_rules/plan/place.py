"""Lifetimes and relations -> the memory plan: a lower bound first, then the search for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tinyml_rules.plan.memory_plan import MAIN, Lifetime, MemoryPlan
from tinyml_rules.plan.relations import Option, Relation, relations
from tinyml_rules.plan.search import Placement, search
from tinyml_rules.plan.tasks import Schedule

BUDGET = 4000
"""Nodes that the search may visit; models of ordinary size need far fewer for a proof."""
TASK_BUDGET = 500
"""The same for the tensors of a single task, which are a handful."""


@dataclass(frozen=True)
class _Arena:
    """The tensors of one region, where they lie, and how small their arena could be at best."""

    tensors: tuple[int, ...]
    placement: Placement
    lower_bound_bytes: int


def place(
    schedule: Schedule,
    lifetimes: Sequence[Lifetime],
    *,
    regions: Mapping[int, str] | None = None,
    state_bytes: int = 0,
) -> MemoryPlan:
    """The smallest arena found for each region, and how small the main one could be at best.

    `regions`: where stored tensors lie that are not in the main arena; `state_bytes` of that one
    are kept free at its start.
    """
    chosen = regions or {}
    pairs = relations(schedule, lifetimes)
    arenas = {
        region: _place_region(region, lifetimes, pairs, chosen)
        for region in (MAIN, *sorted(set(chosen.values())))
    }
    return MemoryPlan(
        arena_bytes=state_bytes + arenas[MAIN].placement.arena_bytes,
        offsets={
            tensor: offset + (state_bytes if region == MAIN else 0)
            for region, arena in arenas.items()
            for tensor, offset in zip(arena.tensors, arena.placement.offsets, strict=True)
        },
        lifetimes=tuple(lifetimes),
        # a task walks one way only: all that its output can overlap lies in the output's region
        descending=frozenset().union(*(arena.placement.descending for arena in arenas.values())),
        lower_bound_bytes=state_bytes + arenas[MAIN].lower_bound_bytes,
        state_bytes=state_bytes,
        regions=chosen,
        region_bytes={
            region: arena.placement.arena_bytes
            for region, arena in arenas.items()
            if region != MAIN
        },
    )


def _place_region(
    region: str,
    lifetimes: Sequence[Lifetime],
    pairs: Sequence[Relation],
    regions: Mapping[int, str],
) -> _Arena:
    group = tuple(
        place for place, each in enumerate(lifetimes) if regions.get(each.tensor, MAIN) == region
    )
    if not group:
        return _Arena((), Placement(0, (), frozenset(), is_proved=True), 0)
    tensors, inside = _alone(group, lifetimes, pairs)
    bound = _lower_bound(tensors, inside)
    best = search(tensors, inside, lower_bound_bytes=bound, budget=BUDGET)
    return _Arena(
        tensors=tuple(lifetime.tensor for lifetime in tensors),
        placement=best,
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
    tensors, among = _alone(tuple(joined), lifetimes, inside)
    largest = max(lifetime.size_bytes for lifetime in tensors)
    best = search(tensors, among, lower_bound_bytes=largest, budget=TASK_BUDGET)
    return apart + (best.arena_bytes if best.is_proved else largest)


def _alone(
    group: tuple[int, ...], lifetimes: Sequence[Lifetime], pairs: Sequence[Relation]
) -> tuple[list[Lifetime], list[Relation]]:
    """Some of the tensors and the relations among themselves, by their positions in the group."""
    number = {place: position for position, place in enumerate(group)}
    inside = [pair for pair in pairs if pair.first in number and pair.second in number]
    return [lifetimes[place] for place in group], [_renumber(pair, number) for pair in inside]


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
