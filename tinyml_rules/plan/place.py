"""Lifetimes and overlaps -> the memory plan: a lower bound, a placement, and a search between."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, product

from tinyml_rules.plan.fit import fit
from tinyml_rules.plan.memory_plan import KEPT, MAIN, Lifetime, MemoryPlan
from tinyml_rules.plan.relations import Overlaps, count_pairs, overlaps_between, relations
from tinyml_rules.plan.search import Placement, search
from tinyml_rules.plan.tasks import Schedule

BUDGET = 4000
"""Nodes that the search may visit; models of ordinary size need far fewer for a proof."""
TASK_BUDGET = 500
"""The same for the few tensors of a single task."""
MOST_PAIRS = 20_000
"""Pairs of tensors that are alive at the same time, up to which there is a search."""


@dataclass(frozen=True)
class _Arena:
    """The tensors of one region, their offsets, and a lower bound for their arena."""

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
    """The smallest arena found for each region, and a lower bound for the main one.

    `regions`: the regions of stored tensors that are not in the main arena; `state_bytes` of that
    one are kept free at its start.
    """
    chosen = dict(regions or {})
    overlaps = overlaps_between(schedule, lifetimes)
    arenas = {
        region: _place_region(region, lifetimes, overlaps, chosen)
        for region in (MAIN, *sorted(set(chosen.values())))
    }
    offsets = {
        tensor: offset + (state_bytes if region == MAIN else 0)
        for region, arena in arenas.items()
        for tensor, offset in zip(arena.tensors, arena.placement.offsets, strict=True)
    }
    _put_inside(schedule, offsets, chosen)
    return MemoryPlan(
        arena_bytes=state_bytes + arenas[MAIN].placement.arena_bytes,
        offsets=offsets,
        lifetimes=tuple(lifetimes),
        # a task walks one way only: all that its output can overlap is in the output's region
        descending=frozenset().union(*(arena.placement.descending for arena in arenas.values())),
        lower_bound_bytes=state_bytes + arenas[MAIN].lower_bound_bytes,
        state_bytes=state_bytes,
        regions=chosen,
        region_bytes={
            region: arena.placement.arena_bytes
            for region, arena in arenas.items()
            if region not in (MAIN, KEPT)
        },
        kept_bytes=arenas[KEPT].placement.arena_bytes if KEPT in arenas else 0,
    )


def _put_inside(schedule: Schedule, offsets: dict[int, int], regions: dict[int, str]) -> None:
    """Add the tensors whose rows are at the ends of other rows, the outermost first, and those
    whose rows are on a shelf alone."""
    for task in schedule.tasks:
        rings = {ring.tensor: ring for ring in task.results}
        for ring in reversed(task.results):
            if ring.piece and not ring.size_bytes:
                shelf = task.shelf
                offsets[ring.tensor] = offsets[shelf.tensor] + shelf.shelf_at + ring.strip_at
            elif ring.inside is not None:
                first = rings[ring.inside].row_bytes - ring.row_bytes
                offsets[ring.tensor] = offsets[ring.inside] + first
                if ring.inside in regions:
                    regions[ring.tensor] = regions[ring.inside]


def _place_region(
    region: str,
    lifetimes: Sequence[Lifetime],
    overlaps: Overlaps,
    regions: Mapping[int, str],
) -> _Arena:
    group = [
        place for place, each in enumerate(lifetimes) if regions.get(each.tensor, MAIN) == region
    ]
    if not group:
        return _Arena((), Placement(0, (), frozenset(), is_proved=True), 0)
    tensors, inside = _alone(group, lifetimes, overlaps)
    bound = _lower_bound(tensors, inside)
    best = fit(tensors, inside, lower_bound_bytes=bound)
    if best.arena_bytes > bound and count_pairs(tensors) <= MOST_PAIRS:
        pairs = relations(tensors, inside)
        best = search(tensors, pairs, best, lower_bound_bytes=bound, budget=BUDGET)
    return _Arena(
        tensors=tuple(lifetime.tensor for lifetime in tensors),
        placement=best,
        lower_bound_bytes=best.arena_bytes if best.is_proved else bound,
    )


def _lower_bound(lifetimes: Sequence[Lifetime], overlaps: Overlaps) -> int:
    """The largest arena that the tensors of a single task need without the others.

    Tensors that overlap nothing add their sizes: removing one from a placement and closing the gap
    leaves a placement of the rest.  Only the rest, the output of the task and the inputs that die
    with it, is searched.
    """
    joined: dict[int, set[int]] = {}
    for source, target in overlaps:
        joined.setdefault(lifetimes[target].first, set()).update((source, target))
    bound = 0
    for task, alive_bytes in sorted(_alive_bytes(lifetimes), key=lambda each: -each[1]):
        if alive_bytes <= bound:  # nor do those that follow need more
            break
        saved_bytes = _saved_bytes(sorted(joined.get(task, ())), lifetimes, overlaps)
        bound = max(bound, alive_bytes - saved_bytes)
    return bound


def _alive_bytes(lifetimes: Sequence[Lifetime]) -> Iterator[tuple[int, int]]:
    """At each task at which a tensor is born, the bytes of all that are alive."""
    by_birth = sorted(lifetimes, key=lambda each: each.first)
    by_death = sorted(lifetimes, key=lambda each: each.last)
    alive = dead = 0
    for task, born in groupby(by_birth, key=lambda each: each.first):
        alive += sum(each.size_bytes for each in born)
        while by_death[dead].last < task:
            alive -= by_death[dead].size_bytes
            dead += 1
        yield task, alive


def _saved_bytes(group: list[int], lifetimes: Sequence[Lifetime], overlaps: Overlaps) -> int:
    """Bytes saved by the best overlaps of tensors that are all alive at once."""
    if not group:
        return 0
    tensors, inside = _alone(group, lifetimes, overlaps)
    sizes = [lifetime.size_bytes for lifetime in tensors]
    if len(inside) == 1:  # of two tensors, so there is nothing to search
        (((source, result), overlap),) = inside.items()
        return overlap.saved_bytes(sizes[source], sizes[result])
    largest = max(sizes)
    known = fit(tensors, inside, lower_bound_bytes=largest)
    pairs = relations(tensors, inside)
    best = search(tensors, pairs, known, lower_bound_bytes=largest, budget=TASK_BUDGET)
    return sum(sizes) - (best.arena_bytes if best.is_proved else largest)


def _alone(
    group: Sequence[int], lifetimes: Sequence[Lifetime], overlaps: Overlaps
) -> tuple[list[Lifetime], Overlaps]:
    """The lifetimes of a group and the overlaps within it, by positions in the group."""
    number = {place: position for position, place in enumerate(group)}
    few = len(group) ** 2 < len(overlaps)
    pairs = product(group, repeat=2) if few else iter(overlaps)
    inside = {
        (number[source], number[target]): overlaps[source, target]
        for source, target in pairs
        if source in number and target in number and (source, target) in overlaps
    }
    return [lifetimes[place] for place in group], inside
