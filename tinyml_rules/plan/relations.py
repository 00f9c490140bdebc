"""Schedule -> the condition for the offsets of every two tensors alive at the same time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tinyml_rules.ir.program import Program
from tinyml_rules.plan.memory_plan import Lifetime
from tinyml_rules.plan.overlap import Overlap, can_overlap, overlap_of, overlaps_of_stream
from tinyml_rules.plan.tasks import Schedule, Task

Overlaps = Mapping[tuple[int, int], Overlap]
"""The overlap for each (input, output) of a task whose output may overwrite that input; both are
positions in the list of lifetimes.  The task is the one at which the output is born."""


@dataclass(frozen=True)
class Option:
    """One way in which two tensors can share the arena: offset[above] >= offset[below] + bytes.

    A way that overlaps them names its task, and whether that then has to walk downwards."""

    above: int
    below: int
    distance_bytes: int
    task: int | None = None
    is_descending: bool = False


@dataclass(frozen=True)
class Relation:
    """Two tensors, by position in the list of lifetimes, and the options: one must hold."""

    first: int
    second: int
    options: tuple[Option, ...]


def pairs(lifetimes: Sequence[Lifetime]) -> Iterator[tuple[int, int]]:
    """The positions of every two tensors that are alive at the same time, the lower one first."""
    by_birth = sorted(range(len(lifetimes)), key=lambda place: lifetimes[place].first)
    alive: list[int] = []
    for place in by_birth:
        alive = [each for each in alive if lifetimes[each].last >= lifetimes[place].first]
        for each in alive:
            yield min(each, place), max(each, place)
        alive.append(place)


def count_pairs(lifetimes: Sequence[Lifetime]) -> int:
    """The number of pairs: each tensor with those that are born while it is alive."""
    births = sorted(lifetime.first for lifetime in lifetimes)
    deaths = sorted(lifetime.last for lifetime in lifetimes)
    count = dead = 0
    for alive, birth in enumerate(births):
        while deaths[dead] < birth:
            dead += 1
        count += alive - dead
    return count


def relations(lifetimes: Sequence[Lifetime], overlaps: Overlaps) -> tuple[Relation, ...]:
    """A relation for each pair, by its second tensor and then by its first."""
    in_order = sorted(pairs(lifetimes), key=lambda pair: pair[::-1])
    return tuple(_relation(first, second, lifetimes, overlaps) for first, second in in_order)


def _relation(
    first: int, second: int, lifetimes: Sequence[Lifetime], overlaps: Overlaps
) -> Relation:
    options = [
        Option(first, second, lifetimes[second].size_bytes),
        Option(second, first, lifetimes[first].size_bytes),
    ]
    for source, target in ((first, second), (second, first)):
        overlap = overlaps.get((source, target))
        if overlap is not None:
            options += _options(overlap, source, target, lifetimes[target].first)
    return Relation(first, second, tuple(options))


def _options(overlap: Overlap, source: int, target: int, task: int) -> Iterator[Option]:
    if overlap.ascending is not None:
        yield Option(source, target, overlap.ascending, task, is_descending=False)
    if overlap.descending is not None:
        yield Option(target, source, overlap.descending, task, is_descending=True)


def overlaps_between(schedule: Schedule, lifetimes: Sequence[Lifetime]) -> Overlaps:
    """The overlaps of outputs with inputs that die with their task."""
    position = {lifetime.tensor: place for place, lifetime in enumerate(lifetimes)}
    program = schedule.program
    found = {}
    for number, task in enumerate(schedule.tasks):
        last = task.steps[-1]
        if not can_overlap(last, program):
            continue
        target = position[program.buffer_of(last.output)]
        is_pushed = schedule.is_pushed and number == 0
        if is_pushed and not task.sources[0].is_lent:
            continue
        for tensor, overlap in _overlaps_of(task, program, is_pushed=is_pushed):
            source = position[tensor]
            is_last_use = lifetimes[source].last == number and source != target
            if is_last_use and lifetimes[target].first == number:
                found[source, target] = overlap.aligned(program.alignment)
    return found


def _overlaps_of(task: Task, program: Program, *, is_pushed: bool) -> Iterator[tuple[int, Overlap]]:
    """Each stored tensor that a task reads from outside, and its overlap with the result."""
    if task.is_streamed:
        for ring, overlap in overlaps_of_stream(task, program, is_pushed=is_pushed):
            yield ring.tensor, overlap
        return
    (step,) = task.steps
    tensors = program.graph.tensors
    for tensor in dict.fromkeys(step.inputs):
        yield program.buffer_of(tensor), overlap_of(step, tensors[tensor], tensors[step.output])
