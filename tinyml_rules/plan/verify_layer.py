"""Proof that a layer on whole tensors, or a turn of a stream, writes no byte of its inputs before
their last use.

The kernel's walk is followed unit by unit, or row by row, as its form says, with arithmetic on
blocks of units: a file may ask for millions of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tinyml_rules.ir.program import Form, Program, Step
from tinyml_rules.ir.window import Window
from tinyml_rules.plan.contents import Arenas

_BLOCK = 1 << 16
"""Units that are checked at a time."""

Place = tuple[int, int, int]
"""A buffer, the first byte in it, and how many."""

Int64Array = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class _Order:
    """The moments at which units run: from the first to the last, or `chunk` units at a time from
    the last chunk to the first, each chunk from its first unit on."""

    units: int
    chunk: int
    is_descending: bool

    def moment(self, unit: Int64Array) -> Int64Array:
        """The moment at which a unit runs; the function is its own inverse."""
        if not self.is_descending:
            return unit
        last_chunk = self.units // self.chunk - 1
        return (last_chunk - unit // self.chunk) * self.chunk + unit % self.chunk

    def earliest(self, first: Int64Array, end: Int64Array) -> Int64Array:
        """The least moment of the units first .. end - 1."""
        if not self.is_descending:
            return first
        last = end - 1
        return self.moment(np.maximum(first, last - last % self.chunk))


def verify_layer(
    program: Program,
    step: Step,
    output: int,
    sources: Sequence[int | None],
    target: int,
    *,
    is_descending: bool,
) -> None:
    """Assert this for a step whose inputs begin at the bytes `sources`, and an output at `target`.

    None for an input that is in another region, where nothing of the output can be.
    """
    count = program.graph.tensors[output].size_bytes
    assert step.kernel.rows_at_once == 1 or not is_descending, "it keeps rows for later ones"
    order = _order(step, is_descending=is_descending)
    unit_bytes = count // order.units
    for tensor, begin in zip(step.inputs, sources, strict=True):
        size = program.graph.tensors[tensor].size_bytes
        if tensor == output or begin is None or begin >= target + count or begin + size <= target:
            continue
        for moments in _blocks(order.units):
            unit = order.moment(moments)
            reads = _reads(step, tensor, unit, size, order.units) + (begin - target)
            is_late = _is_late(step, order, moments, reads, unit_bytes)
            if tensor not in step.shared and _copies(
                step, size
            ):  # before anything is written at the same moment
                is_late |= _earliest(order, reads, unit_bytes) == moments
            assert is_late.all(), f"tensor {tensor} is overwritten before it was read"


def keeps_sums(step: Step) -> bool:
    """Whether it adds up what it takes, and makes its one row at the end."""
    return step.kernel.form is Form.ROWS


def taps(step: Step, row: int) -> range:
    """The rows of its input that a row of a step needs, those outside the image included."""
    window = step.window
    if window is None or step.kernel.form is not Form.WINDOW:
        return range(row, row + 1)
    top = (row * window.stride - window.pad_top) // (window.divisor or 1)
    return range(top, top + window.height * window.dilation, window.dilation)


def check_apart(
    arenas: Arenas, step: Step, written: Place, read: Place, *, is_whole: bool = False
) -> None:
    """Assert that what a step writes in a turn of a stream overlaps nothing that it reads for it,
    or only units that its kernel has read by then; `is_whole`: each of them reads all of it."""
    region, begin, end = arenas.place(*written)
    read_in, read_from, read_to = arenas.place(*read)
    if region != read_in or end <= read_from or read_to <= begin:
        return
    by_units = step.kernel.form is Form.POINTWISE and not is_whole
    assert by_units, f"buffer {read[0]} is overwritten before it was read"
    verify_row(step, read[2], written[2], read_from - begin)


def verify_row(step: Step, input_bytes: int, output_bytes: int, begin: int) -> None:
    """Assert this for a step that makes one row of a stream, unit by unit, and the row that it
    reads, which begins at the byte `begin` of the output row; sizes in bytes."""
    order = _Order(step.chunk, step.chunk, is_descending=False)
    unit_bytes = output_bytes // step.chunk
    for moments in _blocks(step.chunk):
        reads = np.stack([moments, moments + 1], axis=1) * (input_bytes // step.chunk) + begin
        is_late = _is_late(step, order, moments, reads, unit_bytes)
        if step.kernel.copies_unit:
            is_late |= _earliest(order, reads, unit_bytes) == moments
        assert is_late.all(), "a row is overwritten before it was read"


def _blocks(units: int) -> Iterator[Int64Array]:
    for begin in range(0, units, _BLOCK):
        yield np.arange(begin, min(begin + _BLOCK, units))


def _order(step: Step, *, is_descending: bool) -> _Order:
    if step.kernel.form is Form.POINTWISE:
        return _Order(step.units, step.chunk, is_descending)
    if step.kernel.form is Form.WINDOW and step.window is not None:
        assert step.window.batches == 1 or not is_descending
        return _Order(step.window.batches * step.window.output_rows, 1, is_descending)
    assert not is_descending
    return _Order(1, 1, is_descending)


def _is_late(
    step: Step, order: _Order, moments: Int64Array, reads: Int64Array, unit_bytes: int
) -> BoolArray:
    """Whether what is read at each moment is written later; reads in bytes from the output on."""
    begin, end = reads[:, 0], reads[:, 1]
    earliest = _earliest(order, reads, unit_bytes)
    is_late: BoolArray = (begin >= end) | (earliest > _last_moments(step, order, moments))
    if step.kernel.is_in_place:
        # each value is read before its place is written, and later ones are not written yet
        own = order.moment(moments) * unit_bytes
        is_late |= (earliest == moments) & (begin >= own) & (end - begin == unit_bytes)
    return is_late


def _last_moments(step: Step, order: _Order, moments: Int64Array) -> Int64Array:
    """The moment of the last read of a unit: that of the last unit read at once with it."""
    at_once = step.kernel.units_at_once
    in_a_walk = order.chunk if order.is_descending else order.units
    place = moments % in_a_walk
    is_alone = place >= in_a_walk // at_once * at_once
    return np.where(is_alone, moments, moments + at_once - 1 - place % at_once)


def _copies(step: Step, size: int) -> bool:
    """Whether the kernel has a copy of a unit of this input before it writes."""
    kernel = step.kernel
    return kernel.form is Form.POINTWISE and kernel.copies_unit and size % step.units == 0


def _earliest(order: _Order, reads: Int64Array, unit_bytes: int) -> Int64Array:
    """The moment at which the first byte of each range read is written; after all units if
    never."""
    first = np.clip(reads[:, 0] // unit_bytes, 0, order.units)
    last = np.clip(-(-reads[:, 1] // unit_bytes), 0, order.units)
    return np.where(first < last, order.earliest(first, last), order.units)


def _reads(step: Step, tensor: int, unit: Int64Array, size: int, units: int) -> Int64Array:
    """The bytes of an input that units read, from its first byte: shape (units, 2)."""
    if step.kernel.form is Form.WINDOW and step.window is not None:
        return _window_reads(step.window, unit)
    if tensor in step.shared or size % units:
        return np.tile(np.array([[0, size]]), (len(unit), 1))
    return np.stack([unit, unit + 1], axis=1) * (size // units)


def _window_reads(window: Window, row: Int64Array) -> Int64Array:
    """The first and the last input row inside the image for each output row of all batches."""
    batch, y = np.divmod(row, window.output_rows)
    top = (y * window.stride - window.pad_top) // (window.divisor or 1)
    first_tap = np.maximum(-(top // window.dilation), 0)
    last_tap = np.minimum((window.input_rows - 1 - top) // window.dilation, window.height - 1)
    is_inside = first_tap <= last_tap
    first = np.where(is_inside, top + first_tap * window.dilation, 0)
    end = np.where(is_inside, top + last_tap * window.dilation + 1, 0)
    rows: Int64Array = np.stack([first, end], axis=1) + (batch * window.input_rows)[:, None]
    return rows * window.input_row_bytes
