"""The stages of a stream whose rows are made in pieces (`plan/strips.py`).

Of the ring at position i, rows[i] counts the whole rows and columns[i] the pixels of the next one.
The step that reads it makes the ring at position i + 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tinyml_rules.emit.c_text import moved
from tinyml_rules.emit.names import Names
from tinyml_rules.emit.stage import Stage
from tinyml_rules.ir.program import Form, Step
from tinyml_rules.ir.window import Reach
from tinyml_rules.plan.reach import row_inputs
from tinyml_rules.plan.tasks import Ring, Schedule, Task


def piece_stage(names: Names, task: Task, place: int) -> Stage:
    """The stage of the step at `place`."""
    result, step, counted = place + 1, task.steps[place], _counted(task, place)
    columns, needed = _columns(step), f"rows[{result}] + 1"
    if step.kernel.form is Form.WINDOW:
        needed = f"{names.prefix}rows_needed({names.node(step)}.window, rows[{result}])"
    lead = columns.stride - 1 + columns.pad_before - (columns.size - 1) * columns.dilation
    limits = f"{counted.pixels}, {columns.stride}, {lead}, {counted.piece}"
    ready = f"{names.prefix}pixels_ready({needed}, {limits}, {_from(place)})"
    return Stage(
        f"rows[{result}] < {counted.rows} && (pixels = {ready}) > 0",
        tuple(_statements(names, task, place)),
        f"{names.prefix}count_pixels({_from(result)}, pixels, {counted.pixels});",
    )


def has_strips(schedule: Schedule) -> bool:
    """Whether some ring has whole rows, and its newest one elsewhere."""
    return any(ring.strip and ring.capacity for task in schedule.tasks for ring in task.results)


def saves_pixels(schedule: Schedule) -> bool:
    """Whether some pixels of a newest row have to be kept between two pieces."""
    return any(ring.saved for task in schedule.tasks for ring in task.results)


def _counted(task: Task, place: int) -> Ring:
    """The ring whose rows a step counts: a step with sums those that it takes."""
    return task.rings[place if task.steps[place].kernel.form is Form.ROWS else place + 1]


def _columns(step: Step) -> Reach:
    if step.kernel.form is Form.WINDOW:
        assert step.columns is not None
        return step.columns
    return Reach(1, 1, 1, 1, 1, 0, 1, 1)


def _from(position: int) -> str:
    return f"&rows[{position}], &columns[{position}]"


def _statements(names: Names, task: Task, place: int) -> Iterator[str]:
    step, result = task.steps[place], place + 1
    made = task.rings[result]
    scratch = [names.shelf_address(task, made.scratch_at)] if step.scratch else []
    if step.kernel.form is Form.WINDOW:
        yield from _window_statements(names, task, place, scratch)
        return
    row = names.elements(step.inputs[0], _taken(names, task, place))
    if step.kernel.form is Form.ROWS:
        ring = task.rings[place]
        size_bytes = names.schedule.program.graph.tensors[step.inputs[0]].dtype.size_bytes
        values = ring.pixel_bytes // size_bytes
        first = f"(rows[{result}] * {ring.pixels} + columns[{result}]) * {values}"
        yield names.call(step, row, first, f"pixels * {values}", names.sums, suffix="_row")
        return
    by_row = row_inputs(step)
    operands = [row if each in by_row else names.pointer(each) for each in step.inputs]
    operands.append(names.elements(step.output, _piece(names, task, result)))
    units = step.chunk // made.pixels
    yield names.call(step, *operands, *scratch, f"pixels * {units}" if units > 1 else "pixels")


def _window_statements(
    names: Names, task: Task, place: int, scratch: Sequence[str]
) -> Iterator[str]:
    """The rows of the window, the call, and what of the newest row is moved then."""
    ring, step, result = task.rings[place], task.steps[place], place + 1
    window = f"{names.node(step)}.window"
    base = f"{names.address(ring.tensor)}, {ring.capacity}"
    if names.has_phase:
        base += f", {ring.phase}"
    yield f"{names.prefix}gather_rows({window}, {base}, rows[{result}], window);"
    if ring.strip:
        yield from _newest(names, task, place)
    made = task.rings[result]
    operands = ["window", *((f"rows[{result}]",) if step.kernel.takes_row else ())]
    operands += [_piece(names, task, result), *scratch]
    if made.piece < made.pixels:
        yield names.call(step, *operands, f"columns[{result}]", "pixels", suffix="_row")
    else:
        yield names.call(step, *operands, suffix=names.row_suffix(step))
    if ring.strip:
        assert step.columns is not None
        widths = f"pixels, {step.columns.inputs}, {step.columns.outputs}"
        yield f"{names.prefix}move_strip({_strip(names, task, place)}, {widths});"


def _newest(names: Names, task: Task, place: int) -> Iterator[str]:
    """The newest row of a window begins so many columns before the strip as are in its slot."""
    ring, step = task.rings[place], task.steps[place]
    assert step.window is not None
    newest, columns = f"window[{step.window.height - 1}]", _columns(step)
    strip = names.shelf_address(task, ring.strip_at)
    if ring.saved:
        sees = f"columns[{place + 1}], {columns.stride}, {columns.pad_before}"
        first = f"{names.prefix}first_column({sees}) * {ring.pixel_bytes}"
        strip = f"(const int8_t *)((uintptr_t)({strip}) - (uintptr_t)({first}))"
    yield f"if ({newest} != 0) {{"
    yield f"    {newest} = {strip};"
    yield "}"


def _taken(names: Names, task: Task, place: int) -> str:
    """The address of what a step without a window reads."""
    if place > 0:
        return _piece(names, task, place)
    ring, result = task.rings[0], task.rings[1]
    pixel_bytes = ring.row_bytes // result.pixels
    return moved(names.row_address(ring, "rows[1]"), f"columns[1] * {pixel_bytes}")


def _piece(names: Names, task: Task, position: int) -> str:
    """The address of the piece of a ring that is being made, or is taken next."""
    ring = task.rings[position]
    if ring.inside is not None:
        gap = task.rings[position + 1].pixel_bytes - ring.pixel_bytes
        host = _piece(names, task, position + 1)
        return moved(host, f"pixels * {gap}") if gap else host
    if ring.capacity == 0:
        return names.shelf_address(task, ring.strip_at)
    if ring.strip:
        return f"{names.prefix}strip_place({_strip(names, task, position)})"
    row = names.row_address(ring, f"rows[{position}]")
    return moved(row, f"columns[{position}] * {ring.pixel_bytes}")


def _strip(names: Names, task: Task, position: int) -> str:
    """The arguments that tell of a ring with a strip, and of the step that reads it."""
    ring, step = task.rings[position], task.steps[position]
    columns, strip = _columns(step), names.shelf_address(task, ring.strip_at)
    sizes = f"{ring.capacity}, {strip}, {columns.stride}, {columns.pad_before}, {ring.pixel_bytes}"
    address = names.address(ring.tensor)
    return f"{names.node(step)}.window, {address}, {sizes}, {_from(position)}"
