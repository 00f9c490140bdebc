"""Packs weights in the order of the pieces in which a step takes its input: they are read in one
run, and only the schedule determines the pieces."""

from __future__ import annotations

from dataclasses import replace

from tinyml_rules.ir.program import Form, Program, Step
from tinyml_rules.plan.tasks import Schedule, Task


def pack_for_pieces(schedule: Schedule) -> Schedule:
    """The schedule with weights packed in the order of pieces; their size changes by a byte or
    two."""
    packed: dict[str, Step] = {}

    def repacked(step: Step, task: Task) -> Step:
        if step.kernel.pack_pieces is None:
            return step
        found = step.kernel.pack_pieces(step, piece_of(step, task, schedule.program))
        packed[step.name] = replace(step, params=found.params, packing=found.packing)
        return packed[step.name]

    tasks = [
        replace(task, steps=tuple(repacked(step, task) for step in task.steps))
        for task in schedule.tasks
    ]
    if not packed:
        return schedule
    steps = (
        replace(step, params=packed[step.name].params, packing=packed[step.name].packing)
        if step.name in packed
        else step
        for step in schedule.program.steps
    )
    program = replace(schedule.program, steps=tuple(steps))
    return replace(schedule, program=program, tasks=tuple(tasks))


def piece_of(step: Step, task: Task, program: Program) -> int:
    """Number of values that a step with sums takes at a time."""
    assert step.kernel.form is Form.ROWS
    source = step.inputs[0]
    ring = task.rings[task.position(program.buffer_of(source))]
    return ring.row_bytes // program.graph.tensors[source].dtype.size_bytes
