"""The pieces into which `<name>_invoke_slice` cuts an inference: a layer, or a row of a stream."""

from __future__ import annotations

from collections.abc import Iterator

from tinyml_rules.ir.program import Program, Step
from tinyml_rules.plan.reach import Turns, row_inputs, turns_of
from tinyml_rules.plan.tasks import Schedule, Task


def last_makers(task: Task, program: Program) -> tuple[int, ...]:
    """The positions of the steps of a stream of which one makes the very last row: those whose last
    row no other step has to wait for."""
    waited = set()
    for step in task.steps:
        turns = _turns(task, program, step)
        for tensor in map(program.buffer_of, row_inputs(step)):
            if turns.count and turns.needed[-1] == task.rings[task.position(tensor)].rows:
                waited.add(tensor)
    made = (program.buffer_of(step.output) for step in task.steps)
    return tuple(place for place, tensor in enumerate(made) if tensor not in waited)


def turns_in(task: Task, program: Program, place: int) -> int:
    """How many rows a step of a stream makes, or takes where it keeps sums."""
    return _turns(task, program, task.steps[place]).count


def most_macs(schedule: Schedule) -> int:
    """The most multiply-accumulates of one piece.  Those of a graph that a node runs are not
    counted, as nowhere else."""
    return max(_macs(schedule), default=0)


def most_counters(schedule: Schedule) -> int:
    """The most counters of rows that a stream has."""
    return max((len(task.rings) for task in schedule.tasks if task.is_streamed), default=0)


def _macs(schedule: Schedule) -> Iterator[int]:
    for task in schedule.tasks:
        for step in task.steps:
            turns = _turns(task, schedule.program, step).count if task.is_streamed else 1
            yield -(-step.macs // max(turns, 1))


def _turns(task: Task, program: Program, step: Step) -> Turns:
    first = program.buffer_of(row_inputs(step)[0])
    return turns_of(step, task.rings[task.position(first)].rows)
