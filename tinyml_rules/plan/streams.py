"""Which steps can run row by row together, and the rings that they need."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tinyml_rules.ir.program import Form, Program, Step
from tinyml_rules.plan.dry_run import Run, dry_run
from tinyml_rules.plan.reach import row_inputs
from tinyml_rules.plan.tasks import Ring, Task


@dataclass(frozen=True)
class Rows:
    """The rows of a step: it makes `output_rows` of `output_row_bytes` each from `input_rows` of
    each input.  `input_rows` of None: it takes its input in pieces of any length
    and makes its only row at the end."""

    input_rows: int | None
    output_rows: int
    output_row_bytes: int


MOST_ROWS = 4096
"""A tensor of more rows is not streamed: a broken file must not make planning take forever."""


def rows_of(step: Step, program: Program) -> Rows | None:
    """The step's rows, or None for a step that needs whole tensors."""
    rows = _rows_of(step, program) if _is_plain(step, program) else None
    is_long = rows is not None and max(rows.input_rows or 1, rows.output_rows) > MOST_ROWS
    return None if is_long else rows


def _is_plain(step: Step, program: Program) -> bool:
    """One output, which is no variable, computed from tensors that are all of their buffers, with
    no more than one buffer of scratch memory that is free between two rows."""
    return (
        len(step.outputs) == 1
        and sum(not each.is_kept for each in step.scratch) <= 1
        and all(map(program.has_all, step.tensors))
        and program.buffer_of(step.output) not in program.variables
    )


def _rows_of(step: Step, program: Program) -> Rows | None:
    size_bytes = program.graph.tensors[step.output].size_bytes
    if takes_pieces(step):
        return Rows(None, 1, size_bytes)
    window = step.window
    if window is not None:
        if window.batches > 1:
            return None
        reach = window.rows
        return Rows(reach.inputs, reach.outputs, reach.output_bytes)
    if step.kernel.form is not Form.POINTWISE:
        return None
    rows = step.units // step.chunk
    return Rows(rows, rows, size_bytes // rows)


def takes_pieces(step: Step) -> bool:
    """The step can keep sums and take its input in pieces of any length."""
    return step.sums > 0 and step.kernel.in_rows is not None


def stream(program: Program, steps: Sequence[Step], *, is_pushed: bool = False) -> Task | None:
    """The task that runs consecutive steps row by row, or None if that is not possible.

    Only these steps read the tensors between them; tensors from outside are whole, unless the
    first input is pushed.
    """
    if any(rows_of(step, program) is None for step in steps):
        return None
    if not (_keep_to_themselves(program, steps) and _shares_whole_tensors(program, steps)):
        return None
    task = whole_rings(program, steps)
    if task is None or (is_pushed and len(task.sources) > 1):
        return None
    return shrink(task, dry_run(task, program, guests={}, is_pushed=is_pushed), is_pushed=is_pushed)


def obstacle(program: Program, tensor: int) -> str:
    """The reason why no stream can go through an intermediate tensor, as the end of a sentence; ""
    if one can."""
    buffer_of = program.buffer_of
    makers = [step for step in program.steps if tensor in map(buffer_of, step.outputs)]
    readers = [step for step in program.steps if tensor in map(buffer_of, step.inputs)]
    for step in (*makers, *readers):
        if rows_of(step, program) is None:
            return f"node {step.node.index} ({step.node.op}) does not work row by row"
    rows = rows_of(makers[0], program) if makers else None
    return "it has only one row" if rows is not None and rows.output_rows == 1 else ""


def _keep_to_themselves(program: Program, steps: Sequence[Step]) -> bool:
    """No other step reads the tensors between these steps, and a step with sums is the last."""
    if any(takes_pieces(step) for step in steps[:-1]):
        return False
    between = {program.buffer_of(step.output) for step in steps[:-1]}
    if between.intersection(map(program.buffer_of, program.graph.outputs)):
        return False
    others = (step for step in program.steps if step not in steps)  # a node may have several
    return not any(between.intersection(map(program.buffer_of, step.tensors)) for step in others)


def _shares_whole_tensors(program: Program, steps: Sequence[Step]) -> bool:
    """What every row of a step reads is there before the stream begins, and stays."""
    by_row = {
        program.buffer_of(tensor) for step in steps for tensor in (*row_inputs(step), step.output)
    }
    return by_row.isdisjoint(program.buffer_of(each) for step in steps for each in step.shared)


def whole_rings(program: Program, steps: Sequence[Step]) -> Task | None:
    """The stream of steps that all have rows, each ring of all rows; None where a reader and a
    maker count rows differently."""
    rings: dict[int, Ring] = {}
    for step in steps:
        rows = rows_of(step, program)
        assert rows is not None
        for tensor in row_inputs(step):
            stored = program.buffer_of(tensor)
            size_bytes = program.buffers[stored].size_bytes
            if stored not in rings:
                total = rows.input_rows or 1
                rings[stored] = Ring(stored, total, total, size_bytes // total)
            elif rows.input_rows not in (None, rings[stored].rows):
                return None
        stored = program.buffer_of(step.output)
        rings[stored] = Ring(stored, rows.output_rows, rows.output_rows, rows.output_row_bytes)
    made = {program.buffer_of(step.output): None for step in steps}
    return Task(
        steps=tuple(_taking_pieces(step) for step in steps),
        sources=tuple(ring for tensor, ring in rings.items() if tensor not in made),
        results=tuple(rings[tensor] for tensor in made),
    )


def _taking_pieces(step: Step) -> Step:
    """The step with the kernel that takes its input in pieces, where it can; that one has sums, and
    no scratch memory."""
    if not takes_pieces(step):
        return step
    assert step.kernel.in_rows is not None
    return replace(step, kernel=step.kernel.in_rows, scratch=(), workspace=())


def shrink(task: Task, run: Run, *, is_pushed: bool) -> Task:
    """The task with rings of the fewest rows that its readers need."""
    small = [replace(ring, capacity=span) for ring, span in zip(task.rings, run.spans, strict=True)]
    count = len(task.sources)
    sources = small[:count] if is_pushed else task.sources
    return replace(task, sources=tuple(sources), results=(*small[count:-1], task.results[-1]))
