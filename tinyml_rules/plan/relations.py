"""Schedule -> what has to hold between every two tensors that are alive at the same time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tinyml_rules.plan.memory_plan import Lifetime
from tinyml_rules.plan.overlap import Overlap, overlap_of
from tinyml_rules.plan.tasks import Schedule


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


def relations(schedule: Schedule, lifetimes: Sequence[Lifetime]) -> tuple[Relation, ...]:
    """A relation for each pair of tensors that are alive at the same time."""
    overlaps = dict(_overlaps(schedule, lifetimes))
    result = []
    for second, later in enumerate(lifetimes):
        for first, earlier in enumerate(lifetimes[:second]):
            if not earlier.meets(later):
                continue
            options = [
                Option(first, second, later.size_bytes),
                Option(second, first, earlier.size_bytes),
            ]
            for source, target in ((first, second), (second, first)):
                options += overlaps.get((source, target), ())
            result.append(Relation(first, second, tuple(options)))
    return tuple(result)


def _overlaps(
    schedule: Schedule, lifetimes: Sequence[Lifetime]
) -> Iterator[tuple[tuple[int, int], list[Option]]]:
    """(input, output) of each step whose output may run into that input, with the options."""
    position = {lifetime.tensor: place for place, lifetime in enumerate(lifetimes)}
    program = schedule.program
    for number, task in enumerate(schedule.tasks):
        if task.is_streamed:
            continue
        (step,) = task.steps
        target = position[program.storage(step.output)]
        for tensor in dict.fromkeys(step.inputs):
            source = position[program.storage(tensor)]
            is_last_use = lifetimes[source].last == number and source != target
            if not is_last_use or lifetimes[target].first != number:
                continue
            tensors = program.graph.tensors
            overlap = overlap_of(step, tensors[tensor], tensors[step.output])
            yield (source, target), list(_options(overlap, source, target, number))


def _options(overlap: Overlap, source: int, target: int, task: int) -> Iterator[Option]:
    if overlap.ascending is not None:
        yield Option(source, target, overlap.ascending, task, is_descending=False)
    if overlap.descending is not None:
        yield Option(target, source, overlap.descending, task, is_descending=True)
