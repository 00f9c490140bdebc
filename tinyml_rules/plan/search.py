"""Branch and bound over the relations between tensors: the smallest arena, and its proof.

Offsets are the longest paths that the chosen options imply, so they are the lowest that satisfy
them.  A relation that does not hold at those offsets is branched on; when all hold, the arena is a
solution, and from then on only smaller ones are looked for.  The budget is counted in visited
nodes, never in time: the same model always gets the same plan.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tinyml_rules.plan.memory_plan import Lifetime
from tinyml_rules.plan.relations import Option, Relation


@dataclass(frozen=True)
class Placement:
    """Offsets by position in the list of lifetimes; `is_proved` when no smaller arena exists."""

    arena_bytes: int
    offsets: tuple[int, ...]
    descending: frozenset[int]
    is_proved: bool


@dataclass(frozen=True)
class _Node:
    offsets: tuple[int, ...]
    chosen: tuple[Option, ...]
    directions: tuple[tuple[int, bool], ...]


def search(
    lifetimes: Sequence[Lifetime],
    relations: Sequence[Relation],
    *,
    lower_bound_bytes: int,
    budget: int,
) -> Placement:
    """The best placement found within `budget` nodes; the first descent always finishes."""
    sizes = [lifetime.size_bytes for lifetime in lifetimes]
    # the largest pairs first: they decide the peak
    ordered = sorted(relations, key=lambda pair: -min(sizes[pair.first], sizes[pair.second]))
    best: _Node | None = None
    limit = sum(sizes) + 1
    stack = [_Node((0,) * len(sizes), (), ())]
    while stack and limit > lower_bound_bytes:
        if best is not None and budget <= 0:
            return _placement(best, sizes, is_proved=False)
        budget -= 1
        node = stack.pop()
        if _height(node.offsets, sizes) >= limit:
            continue
        broken = next((pair for pair in ordered if not _holds(pair, node)), None)
        if broken is None:
            best, limit = node, _height(node.offsets, sizes)
            continue
        children = [child for child in _children(node, broken) if child is not None]
        children = [child for child in children if _height(child.offsets, sizes) < limit]
        # depth first, so the most promising child goes on top
        children.sort(key=lambda child: (-_height(child.offsets, sizes), -sum(child.offsets)))
        stack += children
    assert best is not None, "placing every tensor above the last one is always possible"
    return _placement(best, sizes, is_proved=True)


def _height(offsets: Sequence[int], sizes: Sequence[int]) -> int:
    return max(offset + size for offset, size in zip(offsets, sizes, strict=True))


def _placement(node: _Node, sizes: Sequence[int], *, is_proved: bool) -> Placement:
    descending = frozenset(task for task, is_descending in node.directions if is_descending)
    return Placement(_height(node.offsets, sizes), node.offsets, descending, is_proved)


def _holds(pair: Relation, node: _Node) -> bool:
    """Some option holds at these offsets, with a direction that its task has or may still take.

    An overlap counts only once it was chosen: only then is its task's direction settled."""
    offsets = node.offsets
    for option in pair.options:
        if offsets[option.above] >= offsets[option.below] + option.distance_bytes and (
            option.task is None or (option.task, option.is_descending) in node.directions
        ):
            return True
    return False


def _children(node: _Node, pair: Relation) -> list[_Node | None]:
    return [_choose(node, option) for option in pair.options]


def _choose(node: _Node, option: Option) -> _Node | None:
    """The node with one more option, offsets raised as needed; None if it contradicts the rest."""
    directions = node.directions
    if option.task is not None:
        if (option.task, not option.is_descending) in directions:
            return None
        if (option.task, option.is_descending) not in directions:
            directions = (*directions, (option.task, option.is_descending))
    chosen = (*node.chosen, option)
    offsets = list(node.offsets)
    for _ in range(len(offsets) + 1):
        changed = False
        for edge in chosen:
            needed = offsets[edge.below] + edge.distance_bytes
            if offsets[edge.above] < needed:
                offsets[edge.above] = needed
                changed = True
        if not changed:
            return _Node(tuple(offsets), chosen, directions)
    return None  # a circle of options: each tensor above the next
