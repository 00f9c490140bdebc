"""The statements that run a schedule: a call for each layer, a function for each stream."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from tinyml_rules.emit.c_text import moved
from tinyml_rules.emit.names import Names
from tinyml_rules.emit.poison import after_row, after_task
from tinyml_rules.emit.stage import Stage
from tinyml_rules.emit.strips import piece_stage
from tinyml_rules.ir.program import Form, Step
from tinyml_rules.plan.packed_pieces import piece_of
from tinyml_rules.plan.reach import row_inputs
from tinyml_rules.plan.slices import last_makers, turns_in
from tinyml_rules.plan.tasks import Schedule, Task


@dataclass(frozen=True)
class Stream:
    """A streamed task as a C function; stages from the last to the first.

    `begin` and `end` are statements around it, `window_height` the most rows gathered at once,
    `unfinished` the condition under which rows are left to be made, for slices."""

    name: str
    counters: int
    source_rows: tuple[int, ...]
    nodes: str
    window_height: int
    stages: tuple[Stage, ...]
    begin: tuple[str, ...]
    end: tuple[str, ...]
    unfinished: str
    is_in_pieces: bool
    """Its rows are made in pieces."""


def layer_call(names: Names, number: int) -> Iterator[str]:
    """The statements of a task that is one step on whole tensors."""
    (step,) = names.schedule.tasks[number].steps
    yield from names.marked(step, *_layer_statements(names, number, step))
    yield from after_task(names, number)


def _layer_statements(names: Names, number: int, step: Step) -> Iterator[str]:
    is_descending = number in names.plan.descending
    place = names.address if step.kernel.form is Form.WINDOW else names.pointer
    operands = [
        *map(place, step.tensors),
        *map(names.buffer_address, step.workspace),
    ]
    if step.kernel.may_end:
        yield f"if (!{names.call(step, *operands).removesuffix(';')}) {{"
        yield "    return false;"
        yield "}"
    elif step.kernel.form is not Form.POINTWISE:
        yield names.call(step, *operands, suffix="_descending" if is_descending else "")
    elif not is_descending:
        yield names.call(step, *operands, str(step.units))
    else:
        yield from _descending_chunks(names, step)


def _descending_chunks(names: Names, step: Step) -> Iterator[str]:
    """A pointwise kernel from its last chunk of units to the first."""
    chunks = step.units // step.chunk
    tensors = names.schedule.program.graph.tensors
    walked = [
        names.pointer(tensor)
        if tensor in step.shared
        else moved(names.pointer(tensor), f"i * {tensors[tensor].count // chunks}")
        for tensor in step.tensors
    ]
    walked += map(names.buffer_address, step.workspace)
    yield f"for (int i = {chunks - 1}; i >= 0; i--) {{"
    yield f"    {names.call(step, *walked, str(step.chunk))}"
    yield "}"


def stream_of(names: Names, number: int) -> Stream:
    """The function of a streamed task."""
    task = names.schedule.tasks[number]
    last = task.steps[-1]
    begin: list[str] = []
    end: list[str] = []
    if last.kernel.form is Form.ROWS:
        result = names.pointer(last.output)
        begin += names.marked(last, names.call(last, names.sums, suffix="_begin"))
        end += names.marked(last, names.call(last, names.sums, result, suffix="_end"))
    end += after_task(names, number)
    windows = [
        step.window.height for step in task.steps if step.kernel.form is Form.WINDOW and step.window
    ]
    return Stream(
        name=f"{names.prefix}stream_{number}",
        counters=len(task.rings),
        source_rows=tuple(ring.rows for ring in task.sources),
        nodes=", ".join(str(step.node.index) for step in task.steps),
        window_height=max(windows, default=0),
        stages=tuple(_checked(names, number, place) for place in reversed(range(len(task.steps)))),
        begin=tuple(begin),
        end=tuple(end),
        unfinished=" || ".join(_unfinished(names.schedule, task)),
        is_in_pieces=task.is_in_pieces,
    )


def _unfinished(schedule: Schedule, task: Task) -> Iterator[str]:
    for place in last_makers(task, schedule.program) if schedule.is_sliced else ():
        yield f"rows[{len(task.sources) + place}] < {turns_in(task, schedule.program, place)}"


def _checked(names: Names, number: int, place: int) -> Stage:
    stage = _stage(names, names.schedule.tasks[number], place)
    statements = names.marked(names.schedule.tasks[number].steps[place], *stage.statements)
    return replace(
        stage,
        statements=tuple(statements),
        afterwards=tuple(after_row(names, number, place)),
    )


def _stage(names: Names, task: Task, place: int) -> Stage:
    if task.is_in_pieces:
        return piece_stage(names, task, place)
    step = task.steps[place]
    buffer_of = names.schedule.program.buffer_of
    positions = [task.position(buffer_of(tensor)) for tensor in row_inputs(step)]
    result = len(task.sources) + place
    if step.kernel.form is Form.WINDOW:
        return _window_stage(names, task, step, positions[0], result)
    counter = f"rows[{result}]"
    reads = [names.row(task.rings[position], counter) for position in positions]
    if step.kernel.form is Form.ROWS:
        piece = piece_of(step, task, names.schedule.program)
        operands = [*reads, f"{counter} * {piece}", str(piece), names.sums]
    else:
        rows = iter(reads)
        by_row = row_inputs(step)
        operands = [next(rows) if each in by_row else names.pointer(each) for each in step.inputs]
        operands.append(names.row(task.rings[result], counter))
    operands += _scratch(names, task, step)
    if step.kernel.form is Form.POINTWISE:
        operands.append(str(step.chunk))
    return Stage(
        " && ".join(f"{counter} < rows[{position}]" for position in dict.fromkeys(positions)),
        (names.call(step, *operands, suffix=_suffix(step)),),
        f"{counter}++;",
    )


def _scratch(names: Names, task: Task, step: Step) -> list[str]:
    return [names.buffer_address(each) for each in task.workspace_of(step)]


def _suffix(step: Step) -> str:
    """A pointwise kernel takes rows as it is; the others have a function for a row."""
    return "" if step.kernel.form is Form.POINTWISE else "_row"


def _window_stage(names: Names, task: Task, step: Step, position: int, result: int) -> Stage:
    source, made = task.rings[position], task.rings[result]
    counter, window = f"rows[{result}]", f"{names.node(step)}.window"
    needed = f"{names.prefix}rows_needed({window}, {counter})"
    base = f"{names.address(source.tensor)}, {source.capacity}"
    if names.has_phase:
        base += f", {source.phase}"
    suffix = names.row_suffix(step)
    number = (counter,) if step.kernel.takes_row else ()
    output = names.row_address(made, counter)
    operands = ["window", *number, output, *_scratch(names, task, step)]
    return Stage(
        f"({counter} < {made.rows}) && ({needed} <= rows[{position}])",
        (
            f"{names.prefix}gather_rows({window}, {base}, {counter}, window);",
            names.call(step, *operands, suffix=suffix),
        ),
        f"{counter}++;",
    )


def resets(names: Names) -> Iterator[str]:
    """The statements that give every variable its initial value."""
    for step in names.schedule.program.resets:
        yield names.call(step, names.pointer(step.output))
