"""Schedule -> what has to hold between every two tensors that are alive at the same time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tinyml_rules.ir.program import Program
from tinyml_rules.plan.memory_plan import Lifetime
from tinyml_rules.plan.overlap import Overlap, overlap_of, overlaps_of_stream
from tinyml_rules.plan.tasks import Schedule, Task


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
    """(input, output) of each task whose output may run into that input, with the options."""
    position = {lifetime.tensor: place for place, lifetime in enumerate(lifetimes)}
    program = schedule.program
    for number, task in enumerate(schedule.tasks):
        target = position[program.storage(task.steps[-1].output)]
        is_pushed = schedule.is_pushed and number == 0
        for tensor, overlap in () if is_pushed else _overlaps_of(task, program):
            source = position[tensor]
            is_last_use = lifetimes[source].last == number and source != target
            if is_last_use and lifetimes[target].first == number:
                yield (source, target), list(_options(overlap, source, target, number))


def _overlaps_of(task: Task, program: Program) -> Iterator[tuple[int, Overlap]]:
    """Each stored tensor that a task takes from outside, with how far the result may cover it."""
    if task.is_streamed:
        for ring, overlap in overlaps_of_stream(task, program):
            yield ring.tensor, overlap
        return
    (step,) = task.steps
    tensors = program.graph.tensors
    for tensor in dict.fromkeys(step.inputs):
        yield program.storage(tensor), overlap_of(step, tensors[tensor], tensors[step.output])


def _options(overlap: Overlap, source: int, target: int, task: int) -> Iterator[Option]:
    if overlap.ascending is not None:
        yield Option(source, target, overlap.ascending, task, is_descending=False)
    if overlap.descending is not None:
        yield Option(target, source, overlap.descending, task, is_descending=True)
