"""What planning hands on: an offset for every stored tensor."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Lifetime:
    """The steps between which a tensor's bytes must be kept, both included.

    -1 is before the first step (a model input), the number of steps is after the last (an output).
    """

    tensor: int
    size_bytes: int
    first: int
    last: int

    def meets(self, other: Lifetime) -> bool:
        """Both are alive at some step, so they may not share a byte."""
        return self.first <= other.last and other.first <= self.last


@dataclass(frozen=True)
class MemoryPlan:
    """offsets: bytes from the arena's start, by the tensor that is stored there."""

    arena_bytes: int
    offsets: Mapping[int, int]
    lifetimes: tuple[Lifetime, ...]

    @property
    def lower_bound_bytes(self) -> int:
        """The most bytes alive at one step: no placement of whole tensors can need less."""
        steps = {lifetime.first for lifetime in self.lifetimes}
        return max(
            sum(
                lifetime.size_bytes
                for lifetime in self.lifetimes
                if lifetime.first <= step <= lifetime.last
            )
            for step in steps
        )
