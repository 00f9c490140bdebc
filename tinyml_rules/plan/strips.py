"""Rows of a stream that are made in pieces, of which the newest are in memory that all rings share.

A turn of a step makes a piece of a row, from one pixel to all, and the step that reads it has its
turn next.  So the newest piece of each ring is needed in two turns alone, and all rings have it on
one **shelf**, each second one at its end; what scratch memory a step needs is in between.  Of a
window's rows the newest is the only one of which not all is there.  As the window moves on, the
pixels that it has passed go from the shelf to the slot of the oldest row, whose pixels there are
dead by then.  A ring for a window of three rows holds two of them, and what the next pixel sees of
the newest one.  A step without a window takes each piece at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from tinyml_rules.ir.buffers import aligned
from tinyml_rules.ir.program import Form, Kernel, Program, Step
from tinyml_rules.ir.window import Reach
from tinyml_rules.plan.reach import row_inputs
from tinyml_rules.plan.tasks import Ring, Task

_Ends = tuple[int, ...]
"""How many pixels of a row there are after each of its pieces."""


@dataclass(frozen=True)
class Cut:
    """How a step makes its rows: at most `piece` of `pixels` at a time; `ways`: the pieces of rows
    that are made while what they see is, and of those that are made afterwards."""

    pixels: int
    piece: int
    ways: frozenset[_Ends]

    @property
    def before_last(self) -> int:
        """The most pixels that there are of a row before its last piece."""
        return max((ends[-2] for ends in self.ways if len(ends) > 1), default=0)


def columns_of(step: Step, program: Program, pixels: int | None = None) -> Reach | None:
    """The pixels that a step reads for each pixel of a row of its output; None where it cannot make
    rows in pieces.  `pixels`: of a row that it reads, where they are known."""
    if len(row_inputs(step)) != 1 or len(step.outputs) != 1 or step.kept or step.inner:
        return None
    if step.kernel.rows_at_once > 1:
        return None
    kernel = step.kernel.in_rows if step.sums and step.kernel.in_rows else step.kernel
    if kernel.form is Form.WINDOW:
        columns = _of_window(step)
    else:
        columns = _of_units(step, kernel, program, pixels or _pixels_of(step, program))
    if columns is None or pixels not in (None, columns.inputs):
        return None
    tensors = (*row_inputs(step), step.output)
    alignments = [program.buffers[program.buffer_of(each)].alignment for each in tensors]
    sizes = (columns.input_bytes, columns.output_bytes)
    is_aligned = not any(size % each for size, each in zip(sizes, alignments, strict=True))
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
        return Reach(pixels, pixels, 1, 1, 1, 0, 0, 0)
    rows = step.units // step.chunk
    sizes = [each.size_bytes // rows for each in (source, result)]
    if kernel.form is not Form.POINTWISE or any(each % pixels for each in (*sizes, step.chunk)):
        return None
    return Reach(pixels, pixels, 1, 1, 1, 0, sizes[0] // pixels, sizes[1] // pixels)


def _pixels_of(step: Step, program: Program) -> int:
    """Of a row of an image; 1 of anything else."""
    shape = program.graph.tensors[step.output].shape
    return shape[2] if len(shape) == 4 else 1


def first_cut(columns: Reach, parts: int) -> Cut:
    """Of the first step of a stream, which has whole rows to read; an eighth more than its share,
    because the first pieces of the next steps are smaller, and their last ones larger."""
    piece = min(-(-9 * columns.outputs // (8 * parts)), columns.outputs)
    return Cut(columns.outputs, piece, frozenset({_evenly(columns.outputs, piece)}))


def next_cut(columns: Reach, before: Cut) -> Cut | None:
    """Of a step that makes all that it can of each piece; None where that is nothing of some."""
    ways = {tuple(_ready(columns, end) for end in ends) for ends in before.ways}
    steps = [end - begin for ends in ways for begin, end in pairwise((0, *ends))]
    if min(steps) < 1:
        return None
    piece = max(steps)
    ways.add(_evenly(columns.outputs, piece))
    return Cut(columns.outputs, piece, frozenset(ways))


def _evenly(pixels: int, piece: int) -> _Ends:
    return (*range(piece, pixels, piece), pixels)


def _ready(columns: Reach, end: int) -> int:
    """Of a row, the pixels that see none after the first `end` inputs."""
    if end == columns.inputs:
        return columns.outputs
    reach = (columns.size - 1) * columns.dilation
    ready = (end - 1 - reach + columns.pad_before) // columns.stride + 1
    return min(max(ready, 0), columns.outputs)


def held(ring: Ring, step: Step, columns: Reach, cut: Cut) -> Ring | None:
    """The ring between two steps of a stream in pieces, from one of rows; None where its reader,
    the step, needs whole ones."""
    ring = replace(ring, pixels=cut.pixels, piece=cut.piece)
    if step.kernel.form is not Form.WINDOW or (step.sums and step.kernel.in_rows):
        return replace(ring, capacity=0, strip=cut.piece)
    reach = (columns.size - 1) * columns.dilation
    is_moving = columns.stride <= reach + 1 and columns.first(columns.outputs - 1) < columns.inputs
    assert step.window is not None
    above = (step.window.height - 1) * step.window.dilation
    if above < 1 or not is_moving:
        return None
    saved = reach if cut.piece < cut.pixels else 0
    strip = min(saved + cut.piece, cut.pixels)
    return replace(ring, capacity=min(above, ring.rows), saved=saved, strip=strip)


@dataclass(frozen=True)
class Shelf:
    """Bytes in all, and where on it the strip of each ring begins, and the scratch memory of each
    step."""

    size_bytes: int
    strips: tuple[int, ...]
    scratch: tuple[int, ...]


def shelf_of(strips: Sequence[int | None], scratch: Sequence[int]) -> Shelf:
    """The shelf of a stream: by step, the bytes of the strip that it makes, None where that is
    inside the next one's, and those of its scratch memory."""
    alive: list[list[int]] = [[] for _ in strips]
    begin, order = 0, []
    for number, size in enumerate(strips):
        if size is None:
            continue
        for phase in range(begin, min(number + 2, len(strips))):
            alive[phase].append(number)
        order.append(number)
        begin = number + 1
    sizes = [each or 0 for each in strips]
    size_bytes = max(
        sum(sizes[each] for each in now) + own for now, own in zip(alive, scratch, strict=True)
    )
    is_low = {number: place % 2 == 0 for place, number in enumerate(order)}
    places = [0 if is_low.get(n, True) else size_bytes - size for n, size in enumerate(sizes)]
    low = [sum(sizes[each] for each in now if is_low[each]) for now in alive]
    return Shelf(size_bytes, tuple(places), tuple(low))


def in_pieces(task: Task, program: Program, parts: int, guests: Mapping[int, int]) -> Task | None:
    """A stream of rows as one of pieces, about `parts` to a row; None where it has branches, or
    some step has to make whole rows.  `guests` as in `plan/inside.py`."""
    if parts < 1 or len(task.steps) < 2 or len(task.sources) != 1:
        return None
    results: list[Ring] = []
    before, cut = task.sources[0].tensor, None
    for step, ring in zip(task.steps, task.results, strict=True):
        columns = columns_of(step, program, None if cut is None else cut.pixels)
        is_next = [program.buffer_of(each) for each in row_inputs(step)] == [before]
        if columns is None or not is_next:
            return None
        if cut is not None:
            found = held(results[-1], step, columns, cut)
            if found is None:
                return None
            results[-1] = found
        cut = first_cut(columns, parts) if cut is None else next_cut(columns, cut)
        if cut is None:
            return None
        before, (pixels, piece) = ring.tensor, (cut.pixels, cut.piece)
        results.append(replace(ring, pixels=pixels, piece=piece, before_last=cut.before_last))
    for host, guest in guests.items():
        results[guest] = replace(results[guest], inside=results[host].tensor, strip=0)
    return _with_shelf(replace(task, results=tuple(results)), program)


def _with_shelf(task: Task, program: Program) -> Task | None:
    """The task with its shelf after the first ring that is not inside another."""
    *rings, last = task.results
    apart = [place for place, ring in enumerate(rings) if ring.inside is None]
    if not apart:
        return None
    sizes = [
        None if ring.inside is not None else aligned(ring.strip_bytes, program.alignment)
        for ring in rings
    ]
    scratch = [
        sum(aligned(each.size_bytes, program.alignment) for each in step.scratch)
        for step in task.steps
    ]
    shelf = shelf_of([*sizes, 0], scratch)
    results = [
        replace(ring, strip_at=strip, scratch_at=own)
        for ring, strip, own in zip((*rings, last), shelf.strips, shelf.scratch, strict=True)
    ]
    first = results[apart[0]]
    at = aligned(first.size_bytes, program.alignment)
    results[apart[0]] = replace(first, shelf_at=at, shelf_bytes=shelf.size_bytes)
    return replace(task, results=tuple(results))
