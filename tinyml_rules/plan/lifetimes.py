"""Schedule -> lifetimes of the tensors that need bytes of their own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tinyml_rules.ir.buffers import Life, aligned, living
from tinyml_rules.ir.program import Program
from tinyml_rules.plan.memory_plan import Lifetime
from tinyml_rules.plan.tasks import Schedule, Task


def step_lifetimes(program: Program) -> tuple[Lifetime, ...]:
    """Lifetimes in steps, for a schedule in which no steps run together."""
    return lifetimes(Schedule(program, tuple(Task((step,)) for step in program.steps)))


def lifetimes(schedule: Schedule) -> tuple[Lifetime, ...]:
    """One lifetime, in tasks, for each buffer.

    An output is kept until the caller has read it, an input from before the first task; a variable
    always.  What makes inputs needs its memory before the first task, and between pushed rows, of
    which the first task keeps some.
    """
    program = schedule.program
    graph = program.graph
    inputs = map(program.buffer_of, graph.inputs)
    makers = living(program.buffers, Life.INPUTS)
    first = dict.fromkeys((*inputs, *program.variables, *makers), -1)
    last = {**first, **dict.fromkeys(makers, 0 if schedule.is_pushed else -1)}
    for number, task in enumerate(schedule.tasks):
        for buffer in _buffers(task, program):
            first.setdefault(buffer, number)
            last[buffer] = number
    for buffer, is_kept in _of_slide(schedule):
        first[buffer] = -1 if is_kept else first.get(buffer, 0)
        last[buffer] = len(schedule.tasks) if is_kept else last.get(buffer, 0)
    for buffer in (*map(program.buffer_of, graph.outputs), *program.variables):
        last[buffer] = len(schedule.tasks)
    rings = _ring_sizes(schedule.tasks)
    sizes = {buffer: rings.get(buffer, program.buffers[buffer].size_bytes) for buffer in first}
    return tuple(
        Lifetime(buffer, aligned(sizes[buffer], program.alignment), first[buffer], last[buffer])
        for buffer in first
    )


def _of_slide(schedule: Schedule) -> Iterator[tuple[int, bool]]:
    """The rings of windows that slide, with whether they are kept from row to row, and those of
    edge rows, which are not."""
    if schedule.slide is None:
        return
    for ring, each in zip(schedule.tasks[0].rings, schedule.slide.shared, strict=True):
        if each.edge is not None and each.edge.tensor != ring.tensor:
            yield each.edge.tensor, False
        yield ring.tensor, each.is_kept


def lives_on(schedule: Schedule, lifetime: Lifetime) -> bool:
    """Whether a buffer is kept from one push, or one inference, to the next."""
    return lifetime.first == -1 and lifetime.last == len(schedule.tasks)


def _buffers(task: Task, program: Program) -> list[int]:
    """All that need bytes of their own."""
    inside = {ring.tensor for ring in task.results if ring.inside is not None}
    inside |= {ring.tensor for ring in task.results if not ring.size_bytes}  # on the shelf alone
    buffers = (program.buffer_of(tensor) for step in task.steps for tensor in step.tensors)
    return [*(buffer for buffer in buffers if buffer not in inside), *task.workspace]


def _ring_sizes(tasks: Sequence[Task]) -> dict[int, int]:
    """Bytes of the tensors of which only a few rows exist at a time."""
    return {
        ring.tensor: ring.size_bytes for task in tasks for ring in task.rings if not ring.is_whole
    }
