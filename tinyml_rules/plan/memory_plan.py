"""What planning hands on: an offset for every stored tensor, and how well that was done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Lifetime:
    """The tasks between which a tensor's bytes must be kept, both included.

    -1 is before the first task (a model input), the number of tasks is after the last (an output).
    """

    tensor: int
    size_bytes: int
    first: int
    last: int

    def meets(self, other: Lifetime) -> bool:
        """Both are alive at some task, so only an overlap of that task lets them share a byte."""
        return self.first <= other.last and other.first <= self.last


@dataclass(frozen=True)
class MemoryPlan:
    """offsets: bytes from the arena's start, by the tensor that is stored there.

    `descending`: positions of tasks that walk from the last row to the first, because their output
    lies above the input that it overwrites.  No placement needs less than `lower_bound_bytes`.
    """

    arena_bytes: int
    offsets: Mapping[int, int]
    lifetimes: tuple[Lifetime, ...]
    descending: frozenset[int]
    lower_bound_bytes: int

    @property
    def is_optimal(self) -> bool:
        """The arena is as small as any placement of these tensors can be."""
        return self.arena_bytes == self.lower_bound_bytes
