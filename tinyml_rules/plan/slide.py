"""Program -> the schedule of windows that slide over a stream of pushed rows.

Row r of a tensor in one window is row r' in another where both read the same rows of the input and
no padding: it is computed once.  The rows at the edges that padding reaches are computed for each
window.  A step with sums keeps those of every window that is not complete.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from tinyml_rules.errors import Problem, TinymlError, UnsupportedError, UsageError
from tinyml_rules.ir.buffers import Buffer
from tinyml_rules.ir.program import Form, Program, Step
from tinyml_rules.plan.edges import Edges, edges_of
from tinyml_rules.plan.schedule import pushable
from tinyml_rules.plan.streams import rows_of, stream, takes_pieces
from tinyml_rules.plan.tasks import Ring, Schedule, Shared, Slide, Task


def slide(program: Program, hop: int) -> Schedule:
    """A window begins with every `hop`-th row.  The steps after the stream run whole, once a
    window.  Raises UnsupportedError for a model whose windows cannot share rows, UsageError for a
    hop that its strides or its rows do not allow."""
    _check_state(program)
    program = pushable(program)
    task = _first_task(program)
    _check_order(program, task)
    rows = task.sources[0].rows
    if hop > rows:
        what = f"slide={hop}, expected at most {rows}, the rows of its input"
        raise UsageError.at(program.graph.name, what)
    shared = _shared_rows(program, task, hop)
    edges = edges_of(program, task, shared)
    task, shared, buffers = _with_rings(program, task, edges)
    program = replace(program, buffers={**program.buffers, **buffers})
    rest = (Task((step,)) for step in program.steps[len(task.steps) :])
    found = Slide(hop, rows, edges.upper_at, shared)
    return Schedule(program, (task, *rest), is_pushed=True, slide=found)


def _check_state(program: Program) -> None:
    """The rows of a model with state depend on all rows before them."""
    for step in program.steps:
        if any(program.buffer_of(tensor) in program.variables for tensor in step.tensors):
            what = "has a variable: the model is a stream already, expected one without state"
            raise UnsupportedError.at(program.graph.where(step.node), what)


def _first_task(program: Program) -> Task:
    """The steps that work row by row, up to one whose result is a single row of a window."""
    task, open_step = None, None
    for count, step in enumerate(program.steps, start=1):
        rows = rows_of(step, program)
        if rows is None or step.kernel.takes_row:
            raise _cannot_slide(program, step)
        found = stream(program, program.steps[:count], is_pushed=True)
        open_step = None if found is not None else open_step or step
        task = found
        if task is not None and (takes_pieces(step) or rows.output_rows == 1):
            return task
    if task is None:
        assert open_step is not None, "rows can be pushed into its first step"
        raise _cannot_slide(program, open_step)
    return task


def _cannot_slide(program: Program, step: Step) -> TinymlError:
    what = (
        "windows cannot slide over it, expected a layer that makes each row alike from a few rows"
    )
    return UnsupportedError.at(program.graph.where(step.node), what)


def _check_order(program: Program, task: Task) -> None:
    """Rows reach the sums in another order than in a whole inference; sums are integers."""
    last = task.steps[-1]
    if last.kernel.form is Form.ROWS and last.kernel.pack_pieces is not None:
        what = "windows cannot slide over it: packed weights are read in the order of the rows"
        raise UnsupportedError.at(program.graph.where(last.node), what)


def _shared_rows(program: Program, task: Task, hop: int) -> tuple[Shared, ...]:
    """By ring; an error names the first step at whose output windows are no whole rows apart."""
    found = [Shared(1, 0, 0, ring.rows) for ring in task.sources]
    for place, step in enumerate(task.steps):
        inputs = [found[position] for position in inputs_of(task, place, program)]
        each = _after(step, inputs, task.results[place])
        if each is None:
            raise _cannot_slide(program, step)
        found.append(each)
    product = math.lcm(*(each.stride for each in found))
    for step, each in zip(task.steps, found[len(task.sources) :], strict=True):
        if hop % each.stride:
            what = f"slide={hop}, expected a multiple of {product}"
            hint = "the strides up to the last layer that works row by row give it"
            raise UsageError([Problem(program.graph.where(step.node), what, hint=hint)])
    if task.steps[-1].kernel.form is not Form.ROWS:  # its whole result belongs to one window
        found[-1] = replace(found[-1], first=0, end=0)
    return tuple(found)


def _after(step: Step, inputs: Sequence[Shared], result: Ring) -> Shared | None:
    """The shared rows of a step's output; None where inputs move differently."""
    stride, delay = inputs[0].stride, max(each.delay for each in inputs)
    first, end = max(each.first for each in inputs), min(each.end for each in inputs)
    if any(each.stride != stride for each in inputs):
        return None
    if step.window is not None and step.kernel.form is Form.WINDOW:
        reach = step.window.rows
        if reach.divisor != 1:
            return None
        span = (reach.size - 1) * reach.dilation - reach.pad_before
        first = min(-(-(first + reach.pad_before) // reach.stride), result.rows)
        end = min((end - 1 - span) // reach.stride + 1, result.rows)
        stride, delay = stride * reach.stride, delay + stride * span
    end = max(end, 0)
    return Shared(stride, delay, min(max(first, 0), end), end)


def inputs_of(task: Task, place: int, program: Program) -> tuple[int, ...]:
    """The positions of the rings that a step reads."""
    stored = dict.fromkeys(map(program.buffer_of, task.steps[place].inputs))
    return tuple(map(task.position, stored))


def _with_rings(
    program: Program, task: Task, edges: Edges
) -> tuple[Task, tuple[Shared, ...], dict[int, Buffer]]:
    """The task with rings of as many rows as are needed at a time, and buffers for edge rows."""
    buffers: dict[int, Buffer] = {}
    number = max(program.buffers, default=0)
    rings, shared = [], []
    for position, ring in enumerate(task.rings):
        each = edges.shared[position]
        rows, of_edge = edges.kept_rows[position], edges.edge_rows[position]
        is_result = position == len(task.rings) - 1
        if is_result:
            rows = ring.rows
        if is_result and task.steps[-1].kernel.form is not Form.ROWS:
            each = replace(each, edge=replace(ring, capacity=ring.rows))
        elif not each.is_kept and not is_result:
            rows = max(rows, of_edge)
            each = replace(each, edge=replace(ring, capacity=rows))
        elif of_edge and not is_result:
            number += 1
            edge = Ring(number, ring.rows, of_edge, ring.row_bytes)
            buffers[number] = Buffer(edge.size_bytes, program.buffers[ring.tensor].alignment)
            each = replace(each, edge=edge)
        rings.append(replace(ring, capacity=rows))
        shared.append(each)
    count = len(task.sources)
    rows_taken = replace(task, sources=tuple(rings[:count]), results=tuple(rings[count:]))
    return rows_taken, tuple(shared), buffers


def macs_of_pushes(schedule: Schedule) -> list[int]:
    """Multiply-accumulates of each of `hop` pushes, from the first row of a window on, when all
    windows in flight are there."""
    return [sum(_works_of(schedule, phase)) for phase in range(_slide(schedule).hop)]


def _slide(schedule: Schedule) -> Slide:
    assert schedule.slide is not None
    return schedule.slide


def _works_of(schedule: Schedule, phase: int) -> Iterator[int]:
    """What one push computes, step by step."""
    moved, task = _slide(schedule), schedule.tasks[0]
    is_last = (moved.rows - 1 - phase) % moved.hop == 0
    is_upper = moved.upper_at >= 0 and (moved.upper_at - phase) % moved.hop == 0
    for place, step in enumerate(task.steps):
        position, has_sums = len(task.sources) + place, step.kernel.form is Form.ROWS
        each = moved.shared[position]
        counted = inputs_of(task, place, schedule.program)[0] if has_sums else position
        rows = len(each.upper) * is_upper + len(each.lower) * is_last
        rows += _shared_now(moved, each, phase, is_each=has_sums)
        yield step.macs // task.rings[counted].rows * rows
    if is_last:
        yield sum(step.macs for each in schedule.tasks[1:] for step in each.steps)


def _shared_now(moved: Slide, each: Shared, phase: int, *, is_each: bool) -> int:
    """How many windows take the shared row that is made now, or whether one is made."""
    start = phase - each.delay
    places = range(start, start + moved.in_flight * moved.hop, moved.hop)
    found = [
        at // each.stride
        for at in places
        if at % each.stride == 0 and each.first <= at // each.stride < each.end
    ]
    return len(found) if is_each else bool(found)
