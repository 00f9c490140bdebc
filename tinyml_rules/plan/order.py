"""Program -> the orders of its steps worth planning, by the bytes of whole tensors.

A step may run as soon as its inputs are there.  The search for the best order goes over sets of
steps that have run, the set with the lowest peak so far first; the first full set is the best.
If that takes too long, the step that leaves the fewest bytes alive goes next.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tinyml_rules.ir.program import Program

LARGEST_PROGRAM = 300
"""Steps up to which the best order is searched."""


def _budget(count: int) -> int:
    """Sets of steps that the search may visit."""
    return max(2 * count, 600_000 // count**2)


def orders(program: Program) -> tuple[Program, ...]:
    """The program in each order, the lowest peak first; among equals its own order first."""
    if not _is_free(program):
        return (program,)
    count = len(program.steps)
    facts = _Facts(program)
    own = tuple(range(count))
    found = {own: facts.peak(own)}
    best = _best_order(facts) if 0 < count <= LARGEST_PROGRAM else None
    other = best or tuple(_greedy_order(facts))
    found.setdefault(other, facts.peak(other))
    by_peak = sorted(found, key=lambda order: found[order])
    return tuple(
        replace(program, steps=tuple(program.steps[place] for place in order)) for order in by_peak
    )


def _is_free(program: Program) -> bool:
    """Whether steps depend on each other by single outputs, written once: then any order that
    writes a tensor before it is read gives the same results."""
    made = [program.buffer_of(tensor) for step in program.steps for tensor in step.outputs]
    is_single = all(len(step.outputs) == 1 and not step.calls for step in program.steps)
    is_given = {*map(program.buffer_of, program.graph.inputs), *program.variables}
    is_once = len(set(made)) == len(made) and is_given.isdisjoint(made)
    # where an inference may end, what comes before has been done, and nothing else
    return is_single and is_once and not program.may_end


class _Facts:
    """The maker and the readers of each stored tensor, by position of the step; `made` are the
    bytes of a step's output and scratch memory."""

    def __init__(self, program: Program) -> None:
        graph = program.graph
        self.inputs = [frozenset(map(program.buffer_of, step.inputs)) for step in program.steps]
        self.outputs = [program.buffer_of(step.output) for step in program.steps]
        self.sizes = {
            tensor: program.buffers[tensor].size_bytes
            for tensor in {*self.outputs, *(each for group in self.inputs for each in group)}
        }
        scratch = (
            sum(program.buffers[each].size_bytes for each in step.workspace)
            for step in program.steps
        )
        self.made = [
            self.sizes[output] + more for output, more in zip(self.outputs, scratch, strict=True)
        ]
        self.kept = frozenset(map(program.buffer_of, graph.outputs))
        self.maker = {tensor: place for place, tensor in enumerate(self.outputs)}
        self.readers: dict[int, list[int]] = {tensor: [] for tensor in self.sizes}
        for place, group in enumerate(self.inputs):
            for tensor in group:
                self.readers[tensor].append(place)
        self.alive_first = sum(self.sizes[tensor] for tensor in self.sizes.keys() - self.maker)

    def peak(self, order: Sequence[int]) -> int:
        """The most bytes alive in an order."""
        left = {tensor: len(readers) for tensor, readers in self.readers.items()}
        alive = peak = self.alive_first
        for place in order:
            peak = max(peak, alive + self.made[place])
            alive += self.growth(place, left)
            for tensor in self.inputs[place]:
                left[tensor] -= 1
        return peak

    def growth(self, place: int, left: dict[int, int]) -> int:
        """Increase of the bytes alive by a step, given the remaining readers of each tensor before
        it."""
        output = self.outputs[place]
        grown = self.sizes[output] if self.readers[output] or output in self.kept else 0
        return grown - sum(
            self.sizes[tensor]
            for tensor in self.inputs[place]
            if left[tensor] == 1 and tensor not in self.kept
        )


@dataclass(frozen=True)
class _Set:
    """Steps that have run, as bits; `alive_bytes` of the tensors that are needed after them."""

    done: int
    alive_bytes: int
    ready: tuple[int, ...]


def _best_order(facts: _Facts) -> tuple[int, ...] | None:
    """The order of lowest peak, or None if the budget is exhausted."""
    count = len(facts.inputs)
    ready = tuple(
        place for place, group in enumerate(facts.inputs) if facts.maker.keys().isdisjoint(group)
    )
    nothing = _Set(0, facts.alive_first, ready)
    # (peak, path, the set before the last step of it); a path is two bytes a step, which compare
    # like the list of them
    queue = [(0, b"", nothing)]
    seen: set[int] = set()
    budget = _budget(count)
    while queue and budget > 0:
        peak, path, before = heapq.heappop(queue)
        last = int.from_bytes(path[-2:])
        if len(path) == 2 * count:
            return tuple(int.from_bytes(path[at : at + 2]) for at in range(0, len(path), 2))
        if path and before.done | 1 << last in seen:
            continue
        found = _after(facts, before, last) if path else before
        seen.add(found.done)
        budget -= 1
        for place in found.ready:
            during = found.alive_bytes + facts.made[place]
            heapq.heappush(queue, (max(peak, during), path + place.to_bytes(2), found))
    return None


def _after(facts: _Facts, before: _Set, place: int) -> _Set:
    """The set with one more step."""
    done = before.done | 1 << place
    left = {
        tensor: sum(not before.done >> reader & 1 for reader in facts.readers[tensor])
        for tensor in facts.inputs[place]
    }
    enabled = {
        reader
        for reader in facts.readers[facts.outputs[place]]
        if all(
            tensor not in facts.maker or done >> facts.maker[tensor] & 1
            for tensor in facts.inputs[reader]
        )
    }
    ready = sorted({*before.ready, *enabled} - {place})
    return _Set(done, before.alive_bytes + facts.growth(place, left), tuple(ready))


def _greedy_order(facts: _Facts) -> Iterator[int]:
    """Among the steps that can run, the one after which the fewest bytes are alive; the earliest of
    equals."""
    left = {tensor: len(readers) for tensor, readers in facts.readers.items()}
    missing = [len(facts.maker.keys() & group) for group in facts.inputs]
    done = [False] * len(missing)
    queue = [
        (facts.growth(place, left), place) for place, count in enumerate(missing) if count == 0
    ]
    heapq.heapify(queue)
    while queue:
        growth, place = heapq.heappop(queue)
        if done[place] or growth != facts.growth(place, left):
            continue  # queued again when a tensor of its inputs got its last reader
        done[place] = True
        yield place
        again = []
        for tensor in facts.inputs[place]:
            left[tensor] -= 1
            if left[tensor] == 1:
                again += [each for each in facts.readers[tensor] if not done[each]]
        for reader in facts.readers[facts.outputs[place]]:
            missing[reader] -= 1
            again.append(reader)
        for each in again:
            if missing[each] == 0:
                heapq.heappush(queue, (facts.growth(each, left), each))
