"""Branch and bound over the relations between tensors: the smallest arena, and its proof.

Offsets are the longest paths that the chosen options imply, so they are the lowest that satisfy
them.  A relation that does not hold at those offsets is branched on; when all hold, the arena is a
solution, and from then on only smaller ones are looked for.  The budget is counted in visited
nodes, never in time: the same model always gets the same plan.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

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
    height_bytes: int
    chosen: tuple[Option, ...]
    directions: tuple[tuple[int, bool], ...]
    checked: int
    """How many relations, in the order in which they are looked at, are known to hold."""


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
    earliest: dict[int, int] = {}
    for place, pair in reversed(list(enumerate(ordered))):
        earliest[pair.first] = earliest[pair.second] = place
    best: _Node | None = None
    limit = sum(sizes) + 1
    stack = [_Node((0,) * len(sizes), max(sizes), (), (), 0)]
    while stack and limit > lower_bound_bytes:
        if best is not None and budget <= 0:
            return _placement(best, is_proved=False)
        budget -= 1
        node = stack.pop()
        if node.height_bytes >= limit:
            continue
        pairs = range(node.checked, len(ordered))
        broken = next((place for place in pairs if not _holds(ordered[place], node)), None)
        if broken is None:
            best, limit = node, node.height_bytes
            continue
        node = replace(node, checked=broken)
        found = (_choose(node, option, sizes, earliest) for option in ordered[broken].options)
        children = [child for child in found if child is not None and child.height_bytes < limit]
        # depth first, so the most promising child goes on top
        children.sort(key=lambda child: (-child.height_bytes, -sum(child.offsets)))
        stack += children
    assert best is not None, "placing every tensor above the last one is always possible"
    return _placement(best, is_proved=True)


def _placement(node: _Node, *, is_proved: bool) -> Placement:
    descending = frozenset(task for task, is_descending in node.directions if is_descending)
    return Placement(node.height_bytes, node.offsets, descending, is_proved)


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


def _choose(
    node: _Node, option: Option, sizes: Sequence[int], earliest: Mapping[int, int]
) -> _Node | None:
    """The node with one more option, offsets raised as needed; None if it contradicts the rest.

    `earliest`: the first relation of each tensor, which has to be looked at again if it is raised.
    """
    directions = node.directions
    if option.task is not None:
        if (option.task, not option.is_descending) in directions:
            return None
        if (option.task, option.is_descending) not in directions:
            directions = (*directions, (option.task, option.is_descending))
    chosen = (*node.chosen, option)
    raised = _raised(node, option)
    if raised is None:
        return None
    offsets = list(node.offsets)
    for tensor, offset in raised.items():
        offsets[tensor] = offset
    height = max(offset + size for offset, size in zip(offsets, sizes, strict=True))
    checked = min([node.checked, *(earliest[tensor] for tensor in raised)])
    return _Node(tuple(offsets), height, chosen, directions, checked)


def _raised(node: _Node, option: Option) -> dict[int, int] | None:
    """The tensors that have to be raised to satisfy `option` too, with their new offsets.

    None where that raises the lower tensor of the option itself: a circle of options, each tensor
    above the next.
    """
    offsets: dict[int, int] = {}
    edges: dict[int, list[Option]] = {}
    waiting = deque([option])  # first in, first out: no tensor is raised all too often
    while waiting:
        edge = waiting.popleft()
        needed = offsets.get(edge.below, node.offsets[edge.below]) + edge.distance_bytes
        if offsets.get(edge.above, node.offsets[edge.above]) >= needed:
            continue
        if edge.above == option.below:
            return None
        offsets[edge.above] = needed
        if not edges:
            for each in node.chosen:
                edges.setdefault(each.below, []).append(each)
        waiting += edges.get(edge.above, ())
    return offsets
