"""Program -> the same program with its steps in an order of lower peak, where there is one.

A step may run as soon as its inputs are there.  The search walks over sets of steps that have run,
the set with the lowest peak so far first, so the first full set it meets is the best.
"""

from __future__ import annotations

import heapq
from dataclasses import replace

from tinyml_rules.ir.program import Program

LARGEST_PROGRAM = 300
"""Steps up to which orders are searched; looking at a set takes time in proportion to them."""


def _budget(count: int) -> int:
    """Sets of steps that are looked at; where they do not suffice the model's own order stays."""
    return max(2 * count, 600_000 // count**2)


def reorder(program: Program) -> Program:
    """The program in the order with the lowest peak of whole tensors; its own order on a tie."""
    if not 0 < len(program.steps) <= LARGEST_PROGRAM:
        return program
    search = _Search(program)
    own = tuple(range(len(program.steps)))
    best = search.best_order()
    if best is None or search.peak(best) >= search.peak(own):
        return program
    return replace(program, steps=tuple(program.steps[place] for place in best))


class _Search:
    """Who makes and who reads each stored tensor, by position of the step."""

    def __init__(self, program: Program) -> None:
        graph = program.graph
        self._count = len(program.steps)
        self._inputs = [frozenset(map(program.storage, step.inputs)) for step in program.steps]
        self._outputs = [program.storage(step.output) for step in program.steps]
        self._sizes = {
            tensor: graph.tensors[tensor].count
            for tensor in {*self._outputs, *(each for group in self._inputs for each in group)}
        }
        self._kept = frozenset(map(program.storage, graph.outputs))
        self._maker = {tensor: place for place, tensor in enumerate(self._outputs)}
        self._readers: dict[int, list[int]] = {}
        for place, group in enumerate(self._inputs):
            for tensor in group:
                self._readers.setdefault(tensor, []).append(place)

    def peak(self, order: tuple[int, ...]) -> int:
        """The most bytes alive in an order."""
        done, peak = 0, 0
        for place in order:
            peak = max(peak, self._alive(done, place))
            done |= 1 << place
        return peak

    def best_order(self) -> tuple[int, ...] | None:
        """The order of lowest peak, or None when the budget does not suffice."""
        queue: list[tuple[int, tuple[int, ...], int]] = [(0, (), 0)]
        seen: set[int] = set()
        budget = _budget(self._count)
        while queue and budget > 0:
            peak, order, done = heapq.heappop(queue)
            if len(order) == self._count:
                return order
            if done in seen:
                continue
            seen.add(done)
            budget -= 1
            for place in self._ready(done):
                higher = max(peak, self._alive(done, place))
                heapq.heappush(queue, (higher, (*order, place), done | 1 << place))
        return None

    def _ready(self, done: int) -> list[int]:
        return [
            place
            for place in range(self._count)
            if not done >> place & 1
            and all(
                tensor not in self._maker or done >> self._maker[tensor] & 1
                for tensor in self._inputs[place]
            )
        ]

    def _alive(self, done: int, place: int) -> int:
        """Bytes alive while `place` runs after the set `done`."""
        return sum(
            size
            for tensor, size in self._sizes.items()
            if tensor in self._inputs[place]
            or tensor == self._outputs[place]
            or (self._exists(tensor, done) and self._is_needed(tensor, done))
        )

    def _exists(self, tensor: int, done: int) -> bool:
        return tensor not in self._maker or bool(done >> self._maker[tensor] & 1)

    def _is_needed(self, tensor: int, done: int) -> bool:
        return tensor in self._kept or any(
            not done >> reader & 1 for reader in self._readers.get(tensor, ())
        )
