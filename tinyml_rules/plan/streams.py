"""Which steps could run row by row together, and with which rings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tinyml_rules.ir.program import Form, Program, Step
from tinyml_rules.plan.tasks import Ring, Task


@dataclass(frozen=True)
class Rows:
    """A step as a maker of rows: it makes `output_rows` of `output_row_bytes` each, and needs
    `reach` rows of its input at a time.  `input_rows` of None: it takes rows of any length."""

    input_rows: int | None
    input_row_bytes: int
    output_rows: int
    output_row_bytes: int
    reach: int


def rows_of(step: Step, program: Program) -> Rows | None:
    """The step's rows, or None for a step that needs whole tensors."""
    if len(step.inputs) != 1:
        return None
    window = step.window
    if window is not None:
        if window.batches > 1:
            return None
        reach = min((window.height - 1) * window.dilation + 1, window.input_rows)
        return Rows(
            window.input_rows,
            window.input_row_bytes,
            window.output_rows,
            window.output_row_bytes,
            reach,
        )
    if step.kernel.form is not Form.POINTWISE:
        return None
    result = program.graph.tensors[step.output].count
    if step.units == 1 and step.kernel.in_rows is not None:
        return Rows(None, 0, 1, result, 1)
    rows = step.units // step.chunk
    source = program.graph.tensors[step.inputs[0]].count
    return Rows(rows, source // rows, rows, result // rows, 1)


def links(program: Program) -> tuple[bool, ...]:
    """For each step whether it can take the rows of the step before it as they are made."""
    readers: dict[int, int] = {program.storage(tensor): 1 for tensor in program.graph.outputs}
    for step in program.steps:
        for tensor in step.inputs:
            stored = program.storage(tensor)
            readers[stored] = readers.get(stored, 0) + 1
    return tuple(_are_linked(program, readers, place) for place in range(len(program.steps)))


def _are_linked(program: Program, readers: dict[int, int], place: int) -> bool:
    if place == 0:
        return False
    before, after = program.steps[place - 1], program.steps[place]
    made, taken = rows_of(before, program), rows_of(after, program)
    if made is None or taken is None or made.output_rows == 1:
        return False
    stored = program.storage(before.output)
    if program.storage(after.inputs[0]) != stored or readers[stored] != 1:
        return False
    if taken.input_rows is None:
        return True
    return (made.output_rows, made.output_row_bytes) == (taken.input_rows, taken.input_row_bytes)


def obstacle(program: Program, tensor: int) -> str:
    """Why no stream can go through an intermediate tensor, as a sentence's end; "" if one can."""
    made = [step for step in program.steps if program.storage(step.output) == tensor]
    read = [step for step in program.steps if tensor in map(program.storage, step.inputs)]
    if len(read) > 1:
        return f"nodes {' and '.join(str(step.node.index) for step in read)} read it"
    for step in (*made, *read):
        if rows_of(step, program) is None:
            return f"node {step.node.index} ({step.node.op}) does not work row by row"
    (maker,) = made
    rows = rows_of(maker, program)
    if rows is not None and rows.output_rows == 1:
        return "it is a single row"
    place = program.steps.index(maker) + 1
    if place == len(program.steps) or not links(program)[place]:
        return f"node {maker.node.index} and its reader do not follow each other row by row"
    return ""


def stream(program: Program, steps: Sequence[Step], *, is_pushed: bool) -> Task:
    """The task that runs linked steps row by row; the input is whole unless it is pushed."""
    made = [rows for step in steps if (rows := rows_of(step, program)) is not None]
    assert len(made) == len(steps)
    return Task(
        steps=tuple(_taking_rows(step, rows) for step, rows in zip(steps, made, strict=True)),
        rings=tuple(_rings(program, steps, made, is_pushed=is_pushed)),
    )


def _taking_rows(step: Step, rows: Rows) -> Step:
    """The step with the kernel that takes its input in rows of any length, where it needs one."""
    if rows.input_rows is not None:
        return step
    assert step.kernel.in_rows is not None
    return replace(step, kernel=step.kernel.in_rows)


def _rings(
    program: Program, steps: Sequence[Step], made: Sequence[Rows], *, is_pushed: bool
) -> Iterator[Ring]:
    first = made[0]
    source = program.storage(steps[0].inputs[0])
    if first.input_rows is not None:
        rows, row_bytes = first.input_rows, first.input_row_bytes
    else:
        rows, row_bytes = 1, program.graph.tensors[source].count
    yield Ring(source, rows, first.reach if is_pushed else rows, row_bytes)
    for step, maker, reader in zip(steps, made, [*made[1:], None], strict=True):
        capacity = maker.output_rows if reader is None else reader.reach
        yield Ring(
            program.storage(step.output), maker.output_rows, capacity, maker.output_row_bytes
        )
