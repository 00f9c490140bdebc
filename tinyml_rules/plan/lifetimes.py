"""Schedule -> lifetimes of the tensors that need bytes of their own."""

from __future__ import annotations

from collections.abc import Sequence

from tinyml_rules.ir.program import Program
from tinyml_rules.plan.memory_plan import Lifetime
from tinyml_rules.plan.tasks import Schedule, Task


def step_lifetimes(program: Program) -> tuple[Lifetime, ...]:
    """Lifetimes in steps, when every step runs by itself."""
    return lifetimes(Schedule(program, tuple(Task((step,)) for step in program.steps)))


def lifetimes(schedule: Schedule) -> tuple[Lifetime, ...]:
    """One lifetime, in tasks, for each stored tensor; a view prolongs the tensor it looks at.

    An output is kept until the caller has read it, an input from before the first task.
    """
    program = schedule.program
    graph = program.graph
    first: dict[int, int] = {program.storage(tensor): -1 for tensor in graph.inputs}
    last = dict(first)
    for number, task in enumerate(schedule.tasks):
        for tensor in _tensors(task, program):
            first.setdefault(tensor, number)
            last[tensor] = number
    for tensor in graph.outputs:
        last[program.storage(tensor)] = len(schedule.tasks)
    sizes = _ring_sizes(schedule.tasks)
    return tuple(
        Lifetime(
            tensor, sizes.get(tensor, graph.tensors[tensor].count), first[tensor], last[tensor]
        )
        for tensor in first
    )


def _tensors(task: Task, program: Program) -> list[int]:
    return [
        program.storage(tensor) for step in task.steps for tensor in (*step.inputs, step.output)
    ]


def _ring_sizes(tasks: Sequence[Task]) -> dict[int, int]:
    """Bytes of the tensors of which only a few rows exist at a time."""
    return {
        ring.tensor: ring.size_bytes for task in tasks for ring in task.rings if not ring.is_whole
    }
