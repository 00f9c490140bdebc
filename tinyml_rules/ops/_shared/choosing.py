"""What the operators that select elements by a list of indices per dimension share: regular lists
become a few copies, others are stored."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from tinyml_rules.ir.buffers import Place
from tinyml_rules.ir.graph import Tensor
from tinyml_rules.ops._shared.copies import MOST_DIMENSIONS
from tinyml_rules.ops._shared.moves import dense_steps, merged

MOST_COPIES = 4
"""A copy takes about as much flash as a list of forty indices."""


@dataclass(frozen=True)
class Pattern:
    """Part of a list, from index `at` on: `counts` and `steps` of the runs, and within each run."""

    at: int
    first: int
    counts: tuple[int, int]
    steps: tuple[int, int]


def chosen(
    source: Tensor,
    target: Tensor,
    lists: Sequence[Sequence[int]],
    *,
    shape: Sequence[int] | None = None,
) -> tuple[Place, ...]:
    """The elements at each combination of indices, in their order.

    `lists`: the indices along every dimension of the source, or of another `shape` with the same
    number of elements."""
    shape = source.shape if shape is None else shape
    if not shape:
        shape, lists = (1,), ((0,),)
    patterns = [tuple(patterns_of(each)) for each in lists]
    if math.prod(map(len, patterns)) <= MOST_COPIES:
        places = tuple(_regular(source, target, shape, lists, patterns))
        if all(len(merged(place).shape) <= MOST_DIMENSIONS for place in places):
            return places
    return (_listed(source, target, shape, lists),)


def patterns_of(places: Sequence[int]) -> Iterator[Pattern]:
    """The list as patterns, each as long as possible."""
    at = 0
    while at < len(places):
        pattern = _longest(places, at)
        yield pattern
        at += math.prod(pattern.counts)


def _longest(places: Sequence[int], at: int) -> Pattern:
    """The longest run of equal steps from `at` on, and how often it repeats at one distance."""
    left = len(places) - at
    step = places[at + 1] - places[at] if left > 1 else 0
    size = min(left, 2)
    while size < left and places[at + size] - places[at + size - 1] == step:
        size += 1
    again = places[at + size] - places[at] if size < left else 0
    run, runs = places[at : at + size], 1
    while all(
        place == before + runs * again
        for place, before in zip(_next(places, at + runs * size, size), run, strict=True)
    ):
        runs += 1
    return Pattern(at, places[at], (runs, size), (again, step))


def _next(places: Sequence[int], at: int, size: int) -> Sequence[int | None]:
    """The next `count` indices from `at` on; None beyond the end."""
    found = list(places[at : at + size])
    return found + [None] * (size - len(found))


def _regular(
    source: Tensor,
    target: Tensor,
    shape: Sequence[int],
    lists: Sequence[Sequence[int]],
    patterns: Sequence[Sequence[Pattern]],
) -> Iterator[Place]:
    """One copy for each combination of patterns."""
    source_steps = dense_steps(shape)
    target_steps = dense_steps([len(each) for each in lists])
    for taken in product(*patterns):
        rows = list(zip(taken, source_steps, target_steps, strict=True))
        yield Place(
            target=target.index,
            shape=tuple(count for each in taken for count in each.counts),
            source=source.index,
            source_offset=sum(each.first * step for each, step, _ in rows),
            source_steps=tuple(size * step for each, step, _ in rows for size in each.steps),
            target_offset=sum(each.at * step for each, _, step in rows),
            target_steps=tuple(
                size * step for each, _, step in rows for size in (each.counts[1], 1)
            ),
        )


def _listed(
    source: Tensor, target: Tensor, shape: Sequence[int], lists: Sequence[Sequence[int]]
) -> Place:
    """One copy by lists; the last dimensions, if all their elements are taken, become a run."""
    rows = [
        [place * step for place in places]
        for places, step in zip(lists, dense_steps(shape), strict=True)
    ]
    kept = len(rows)
    while kept > 1 and list(lists[kept - 1]) == list(range(shape[kept - 1])):
        kept -= 1
    run = math.prod(shape[kept:])
    offset = sum(row[0] for row in rows[:kept] if len(row) == 1)
    walked = [tuple(row) for row in rows[:kept] if len(row) > 1]
    sizes = (*map(len, walked), run)
    return Place(
        target=target.index,
        shape=sizes,
        source=source.index,
        source_offset=offset,
        source_steps=(0,) * len(walked) + (1,),
        target_steps=dense_steps(sizes),
        source_lists=tuple(walked),
    )
