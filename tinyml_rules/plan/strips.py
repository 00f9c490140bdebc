"""Rows of a stream that are made in pieces, so that a ring needs less than whole rows.

A turn of a step then makes a few pixels: as many as what it reads allows, but no more than a piece.
Of a window's rows only the newest is not complete.  Its pixels are in a strip behind the slots of
the others.  As the window moves on, those that it leaves behind go to the slot of the oldest row,
whose pixels there are dead by then: a ring for a window of three rows holds two of them and a
strip.  A step without a window takes each piece at once.
"""

from __future__ import annotations

from dataclasses import replace

from tinyml_rules.ir.program import Form, Kernel, Program, Step
from tinyml_rules.ir.window import Reach
from tinyml_rules.plan.reach import row_inputs, turns_of
from tinyml_rules.plan.tasks import Ring, Task


def columns_of(step: Step, program: Program, pixels: int | None = None) -> Reach | None:
    """The pixels that a step reads for each pixel of a row of its output; None where it cannot make
    rows in pieces.  `pixels`: of a row that it reads, where they are known."""
    if len(row_inputs(step)) != 1 or len(step.outputs) != 1 or step.kept or step.inner:
        return None
    kernel = step.kernel.in_rows if step.sums and step.kernel.in_rows else step.kernel
    if kernel.form is Form.WINDOW:
        columns = _of_window(step)
    else:
        columns = _of_units(step, kernel, program, pixels or _pixels_of(step, program))
    if columns is None or pixels not in (None, columns.inputs):
        return None
    buffers = [
        program.buffers[program.buffer_of(each)] for each in (*row_inputs(step), step.output)
    ]
    sizes = (columns.input_bytes, columns.output_bytes)
    is_aligned = all(
        size % buffer.alignment == 0 for size, buffer in zip(sizes, buffers, strict=True)
    )
    return columns if is_aligned else None


def _of_window(step: Step) -> Reach | None:
    window, columns = step.window, step.columns
    if window is None or columns is None or step.kernel.is_c_function:
        return None
    rows = window.rows
    is_plain = rows.divisor == columns.divisor == window.batches == 1 and rows.end(0) > 0
    reads, makes = columns.inputs * columns.input_bytes, columns.outputs * columns.output_bytes
    is_image = (reads, makes) == (rows.input_bytes, rows.output_bytes)
    return columns if is_plain and is_image and columns.pad_before >= 0 else None


def _of_units(step: Step, kernel: Kernel, program: Program, pixels: int) -> Reach | None:
    """A step without a window reads the pixels at the same place; one with sums makes none."""
    tensors = program.graph.tensors
    source, result = (tensors[each] for each in (row_inputs(step)[0], step.output))
    if kernel.form is Form.ROWS:
        if kernel.pack_pieces is not None:  # its weights are in the order of whole rows
            return None
        return Reach(pixels, pixels, 1, 1, 1, 0, 1, 0)
    rows = step.units // step.chunk
    sizes = [each.size_bytes // rows for each in (source, result)]
    if kernel.form is not Form.POINTWISE or any(each % pixels for each in (*sizes, step.chunk)):
        return None
    return Reach(pixels, pixels, 1, 1, 1, 0, sizes[0] // pixels, sizes[1] // pixels)


def _pixels_of(step: Step, program: Program) -> int:
    """Of a row of an image; 1 of anything else."""
    shape = program.graph.tensors[step.output].shape
    return shape[2] if len(shape) == 4 else 1


def piece_of(pixels: int, parts: int) -> int:
    """The most pixels that a turn makes, where a row of so many is made in so many parts."""
    return -(-pixels // parts)


def held(ring: Ring, step: Step, columns: Reach) -> Ring:
    """The ring between two steps of a stream in pieces, from one of as many rows as its reader, the
    step, needs."""
    if step.kernel.form is not Form.WINDOW or (step.sums and step.kernel.in_rows):
        return replace(ring, capacity=0, strip=ring.piece)
    reach = (columns.size - 1) * columns.dilation
    is_moving = columns.stride <= reach + 1 and columns.first(columns.outputs - 1) < columns.inputs
    strip = reach + ring.piece
    if ring.capacity < 2 or not is_moving or strip >= ring.pixels:
        return ring  # whole rows are as good
    return replace(ring, capacity=ring.capacity - 1, strip=strip)


def in_pieces(task: Task, program: Program, parts: int) -> Task | None:
    """A stream of rows as one of pieces of `parts` to a row; None where it has branches, or some
    step has to make whole rows."""
    if parts < 2 or len(task.steps) < 2 or len(task.sources) != 1:
        return None
    results: list[Ring] = []
    before, pixels = task.sources[0].tensor, None
    for step, ring in zip(task.steps, task.results, strict=True):
        columns = columns_of(step, program, pixels)
        is_next = [program.buffer_of(each) for each in row_inputs(step)] == [before]
        if columns is None or not is_next:
            return None
        if results:
            span = turns_of(step, results[-1].rows).span
            whole = replace(results[-1], capacity=min(span, results[-1].rows))
            results[-1] = held(whole, step, columns)
        before, pixels = ring.tensor, columns.outputs
        results.append(replace(ring, pixels=pixels, piece=piece_of(pixels, parts)))
    return replace(task, results=tuple(results))
