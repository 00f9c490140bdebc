"""Rows between two steps of a stream that take no bytes: they are in the slots of the rows made
of them.

A step that works unit by unit, and has read a unit before it writes the one at its place, may be
given its row at the end of the slot that its result gets, and walks upwards.  It is the only
reader, and takes nothing else row by row: so its turn comes right after the row is made, and no
other step needs the slot in between.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import replace

from tinyml_rules.ir.program import Program, Step
from tinyml_rules.plan.dry_run import Run
from tinyml_rules.plan.overlap import most_covered, works_in_row
from tinyml_rules.plan.reach import row_inputs
from tinyml_rules.plan.tasks import Schedule, Task


def takes_inside(step: Step, program: Program) -> bool:
    """Whether a step can make its row where the row that it reads ends as well."""
    if (len(row_inputs(step)), len(step.outputs)) != (1, 1):
        return False
    source, result = (program.graph.tensors[each] for each in (row_inputs(step)[0], step.output))
    buffers = [program.buffers[program.buffer_of(each.index)] for each in (source, result)]
    rows = step.units // step.chunk
    if not works_in_row(step, source, result) or buffers[0].alignment > buffers[1].alignment:
        return False
    row, gap = result.size_bytes // rows, (result.size_bytes - source.size_bytes) // rows
    return row % buffers[0].alignment == gap % buffers[0].alignment == 0


def guests_of(task: Task, program: Program) -> dict[int, int]:
    """For the place of each step of a stream that might make its row where the one that it reads
    is: the place of the step that makes that one."""
    makers = {ring.tensor: place for place, ring in enumerate(task.results)}
    buffers = [set(map(program.buffer_of, step.inputs)) for step in task.steps]
    reads = Counter(buffer for each in buffers for buffer in each)
    found = {}
    for place, step in enumerate(task.steps):
        source = program.buffer_of(row_inputs(step)[0])
        if source in makers and reads[source] == 1 and takes_inside(step, program):
            found[place] = makers[source]
    return found


def worth_it(
    task: Task, run: Run, guests: Mapping[int, int], dying: Collection[int]
) -> dict[int, int]:
    """The same without the last step, where its result may overlap fewer bytes of the tensors that
    die with the stream than its input's row has, because it is written earlier."""
    last = len(task.steps) - 1
    if last in guests:
        sources = [(ring.size_bytes, ring.tensor in dying) for ring in task.sources]
        size_bytes = task.results[-1].size_bytes
        lost = most_covered(run.distances[last], sources, size_bytes)
        lost -= most_covered(run.early[last], sources, size_bytes)
        if lost > task.results[guests[last]].row_bytes:
            return {host: guest for host, guest in guests.items() if host != last}
    return dict(guests)


def put_inside(task: Task, guests: Mapping[int, int]) -> Task:
    """The task with the rows of some steps in the slots of others."""
    results = list(task.results)
    for place in reversed(range(len(results))):
        if place in guests:
            host, ring = results[place], results[guests[place]]
            assert ring.capacity == 1, "its only reader takes each row at once"
            gap_bytes = host.slot_bytes - ring.row_bytes
            results[guests[place]] = replace(
                ring, capacity=host.capacity, inside=host.tensor, gap_bytes=gap_bytes
            )
    return replace(task, results=tuple(results))


def put_apart(task: Task) -> Task:
    """The task with a place of its own for every row."""
    results = (
        ring if ring.inside is None else replace(ring, capacity=1, inside=None, gap_bytes=0)
        for ring in task.results
    )
    return replace(task, results=tuple(results))


def with_places(steps: Schedule, placed: Collection[int]) -> Schedule:
    """The schedule with places of their own for the rows of these tensors."""

    def placed_apart(task: Task) -> Task:
        results, guests = task.results, task.guests.items()
        kept = {host: guest for host, guest in guests if results[guest].tensor not in placed}
        return put_inside(put_apart(task), kept)

    return replace(steps, tasks=tuple(map(placed_apart, steps.tasks)))
