"""The result of planning: an offset for every stored tensor, and how good the placement is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

MAIN = ""
"""The region of every tensor that the user has not placed elsewhere."""
KEPT = "(kept)"
"""That of variables where the main arena is other models' too: no region of a target has a name
with parentheses."""


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
        """Whether both are alive at some task; only an overlap at that task lets them share a
        byte."""
        return self.first <= other.last and other.first <= self.last


@dataclass(frozen=True)
class Point:
    """What a plan takes: bytes of RAM as `MemoryPlan.ram_bytes` has them, and the products of an
    inference, those that it computes again included."""

    ram_bytes: int
    products: int


@dataclass(frozen=True)
class MemoryPlan:
    """offsets: bytes from the start of the tensor's arena, by the tensor that is stored there.

    There is a main arena of `arena_bytes`, whose first `state_bytes` belong to no tensor, and one
    of `region_bytes` for each further region; `regions` says which tensors are in which.  The page
    through which external weights are read takes `page_bytes` in addition to the main arena.

    `descending`: positions of tasks that walk from the last row to the first, because their output
    is above the input that it overwrites.  No placement needs less than `lower_bound_bytes`.
    """

    arena_bytes: int
    offsets: Mapping[int, int]
    lifetimes: tuple[Lifetime, ...]
    descending: frozenset[int]
    lower_bound_bytes: int
    state_bytes: int = 0
    regions: Mapping[int, str] = field(default_factory=dict)
    region_bytes: Mapping[str, int] = field(default_factory=dict)
    page_bytes: int = 0
    kept_bytes: int = 0
    """Of the variables that are apart from the main arena."""
    curve: tuple[Point, ...] = ()
    """This plan and others, each with less RAM and more products, where they were looked for."""

    def region(self, tensor: int) -> str:
        """The region that a stored tensor is in."""
        return self.regions.get(tensor, MAIN)

    @property
    def ram_bytes(self) -> int:
        """All static bytes of the model in the main RAM, for every arena mode."""
        return self.arena_bytes + self.page_bytes + self.kept_bytes

    @property
    def more_products(self) -> float:
        """By what share its products exceed those of the plan with the fewest."""
        if not self.curve:
            return 0.0
        fewest = self.curve[0].products
        return (self.curve[-1].products - fewest) / max(fewest, 1)

    @property
    def is_optimal(self) -> bool:
        """The main arena is as small as any placement of these tensors can be."""
        return self.arena_bytes == self.lower_bound_bytes
