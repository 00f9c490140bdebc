"""Lifetimes -> offsets: the largest tensor first, each at the lowest offset that is free."""

from __future__ import annotations

from collections.abc import Sequence

from tinyml_rules.plan.memory_plan import Lifetime, MemoryPlan


def place(lifetimes: Sequence[Lifetime]) -> MemoryPlan:
    """First fit by size; ties go to the earlier, then to the lower tensor number."""
    placed: list[tuple[int, Lifetime]] = []
    for lifetime in sorted(lifetimes, key=lambda item: (-item.size_bytes, item.first, item.tensor)):
        occupied = sorted(
            (offset, offset + other.size_bytes) for offset, other in placed if other.meets(lifetime)
        )
        placed.append((_lowest_gap(occupied, lifetime.size_bytes), lifetime))
    return MemoryPlan(
        arena_bytes=max(offset + lifetime.size_bytes for offset, lifetime in placed),
        offsets={lifetime.tensor: offset for offset, lifetime in placed},
        lifetimes=tuple(lifetimes),
    )


def _lowest_gap(occupied: Sequence[tuple[int, int]], size_bytes: int) -> int:
    """The lowest offset with `size_bytes` free between the occupied (begin, end) ranges."""
    offset = 0
    for begin, end in occupied:
        if begin - offset >= size_bytes:
            break
        offset = max(offset, end)
    return offset
