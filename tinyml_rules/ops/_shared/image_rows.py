"""Copies that make each row of an image from rows of another: a row-by-row kernel, with which
borders, slices, blocks and enlargements can be in streams.

They are recognised from the places of the elements, for any operator: an output pixel is a run of
elements of one input row, or of one run from each of several rows, and rows and columns are in
regular steps. The result is verified against the copies element by element.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tinyml_rules.ir.buffers import Place
from tinyml_rules.ir.c_struct import Int, Int8
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Tensor
from tinyml_rules.ir.program import Form, Kernel, Work
from tinyml_rules.ir.window import Reach, Window
from tinyml_rules.ir.work_kind import WorkKind
from tinyml_rules.ops._shared.index_steps import IndexSteps, Indices, steps_through
from tinyml_rules.ops._shared.spatial import RANK

_OUTSIDE = -1
"""In place of an element's index: the cell holds the border's value."""
_UNKNOWN = -2
_MOST_ELEMENTS = 1 << 20
"""Largest image, in elements, that is analysed."""
_MOST_DIVISOR = 64

_KERNELS = Path(__file__).parent / "kernels"


@dataclass(frozen=True)
class ShiftParams:
    """Members of the C struct if each row is copied whole, after `before` columns."""

    input_width: Int
    output_width: Int
    channels: Int
    pad_left: Int
    border: Int8
    window: Window


@dataclass(frozen=True)
class Params:
    """Members of the C struct; widths, stride, divisor and padding are horizontal, in pixels.

    A pixel is made of runs of `run` bytes, one of each row of the window, from byte `first` of its
    column's pixel on, and further on by `row_step` and `column_step` for what is left of the
    division of its row and its column.
    """

    input_width: Int
    output_width: Int
    input_channels: Int
    stride: Int
    divisor: Int
    row_divisor: Int
    pad_left: Int
    run: Int
    first: Int
    row_step: Int
    column_step: Int
    border: Int8
    window: Window


_SHIFTED = Kernel(
    name="shifted_rows",
    template=_KERNELS / "shifted_rows.c.j2",
    form=Form.WINDOW,
    runtime=("copy", "fill"),
)
_STEPPED = Kernel(
    name="image_rows",
    template=_KERNELS / "image_rows.c.j2",
    form=Form.WINDOW,
    runtime=("copy", "fill"),
    takes_row=True,
)


@dataclass(frozen=True)
class _Pattern:
    """Where the elements of an image [height, width, channels] come from."""

    rows: IndexSteps
    columns: IndexSteps
    height: int
    first: int
    row_step: int
    column_step: int

    def elements(self, image: Sequence[int], result: Sequence[int]) -> Indices:
        """For each element of the result, its index in the image."""
        y, x, channel = np.indices(result)
        run = result[2] // self.height
        row, column = self.rows.of(y) + channel // run, self.columns.of(x)
        first = self.first + self.row_step * self.rows.rest(y)
        first = first + self.column_step * self.columns.rest(x)
        is_inside = (row >= 0) & (row < image[0]) & (column >= 0) & (column < image[1])
        number = (row * image[1] + column) * image[2] + first + channel % run
        return np.where(is_inside, number, _OUTSIDE)


def row_copies(
    places: Sequence[Place], source: Tensor, target: Tensor
) -> tuple[Work, Kernel] | None:
    """The work that makes `target` row by row from `source` and constants, if these places cover it
    and nothing else; both are int8 images."""
    if any(place.start is not None for place in places):
        return None
    for tensor in (source, target):
        is_image = len(tensor.shape) == RANK and tensor.shape[0] == 1
        if not is_image or tensor.dtype is not DType.INT8 or tensor.count > _MOST_ELEMENTS:
            return None
    borders = {
        int(value)
        for place in places
        if place.values is not None
        for value in place.values.reshape(-1)
    }
    elements = _elements(places, target)
    if len(borders) > 1 or elements.min() == _UNKNOWN or elements.max() < 0:
        return None
    pattern = _pattern(elements, source.shape[1:])
    if pattern is None:
        return None
    if not np.array_equal(pattern.elements(source.shape[1:], target.shape[1:]), elements):
        return None
    return _work(pattern, source, target, border=next(iter(borders), 0))


def _elements(places: Sequence[Place], target: Tensor) -> Indices:
    """For each element of the target, what the last place that writes it puts there."""
    found = np.full(target.count, _UNKNOWN, np.int64)
    for place in places:
        steps = zip(np.indices(place.shape), place.target_steps, place.source_steps, strict=True)
        to, number = place.target_offset, place.source_offset
        for index, target_step, source_step in steps:
            to, number = to + index * target_step, number + index * source_step
        for index, listed in zip(np.indices(place.shape), place.source_lists, strict=False):
            number = number + np.array(listed)[index]
        found[to] = _OUTSIDE if place.values is not None else number
    return found.reshape(target.shape[1:])


def _pattern(elements: Indices, image: Sequence[int]) -> _Pattern | None:
    """The pattern that these elements may have, judged by the first pixels."""
    inside = elements[:, :, 0] >= 0
    ys, xs = np.flatnonzero(inside.any(axis=1)), np.flatnonzero(inside.any(axis=0))
    if not ys.size:
        return None
    row_of, column_of = np.divmod(elements, image[1] * image[2])
    height = np.unique(row_of[ys[0], xs[0]]).size
    row = row_of[ys, xs[0], 0]
    column, channel = np.divmod(column_of[:, :, 0], image[2])
    rows = steps_through(ys, row, most=_MOST_DIVISOR)
    columns = steps_through(xs, column[ys[0], xs], most=_MOST_DIVISOR)
    if rows is None or columns is None or elements.shape[2] % height:
        return None
    # how remainders of the division move the channel, from the first pixels that have any
    left_down, left_across = rows.rest(ys), columns.rest(xs)
    row_step = _step(left_down, channel[ys, xs[0]])
    column_step = _step(left_across, channel[ys[0], xs])
    first = int(channel[ys[0], xs[0]] - row_step * left_down[0] - column_step * left_across[0])
    return _Pattern(rows, columns, height, first, row_step, column_step)


def _step(rests: Indices, channels: Indices) -> int:
    """By how much the channel moves for each 1 of the remainder."""
    others = np.flatnonzero(rests != rests[0])
    if not others.size:
        return 0
    place = others[0]
    return int((channels[place] - channels[0]) // (rests[place] - rests[0]))


def _work(pattern: _Pattern, source: Tensor, target: Tensor, *, border: int) -> tuple[Work, Kernel]:
    _, _, width, channels = source.shape
    _, _, output_width, output_channels = target.shape
    down = _reach(pattern.rows, pattern.height, source, target, axis=1)
    across = _reach(pattern.columns, 1, source, target, axis=2)
    window = Window.of(down, batches=1)
    columns = pattern.columns
    is_shift = (columns.stride, columns.divisor, pattern.height) == (1, 1, 1)
    params: ShiftParams | Params
    if is_shift and output_channels == channels:
        kernel = _SHIFTED
        params = ShiftParams(width, output_width, channels, columns.before, border, window)
    else:
        kernel = _STEPPED
        params = Params(
            input_width=width,
            output_width=output_width,
            input_channels=channels,
            stride=columns.stride,
            divisor=columns.divisor,
            row_divisor=pattern.rows.divisor,
            pad_left=columns.before,
            run=output_channels // pattern.height,
            first=pattern.first,
            row_step=pattern.row_step,
            column_step=pattern.column_step,
            border=border,
            window=window,
        )
    return Work(
        params=params,
        inputs=(source.index,),
        outputs=(target.index,),
        window=window,
        columns=across,
        kind=WorkKind.COPY,
    ), kernel


def _reach(steps: IndexSteps, size: int, source: Tensor, target: Tensor, *, axis: int) -> Reach:
    return Reach(
        inputs=source.shape[axis],
        outputs=target.shape[axis],
        size=size,
        stride=steps.stride,
        dilation=1,
        pad_before=steps.before,
        input_bytes=source.count // int(np.prod(source.shape[: axis + 1])),
        output_bytes=target.count // int(np.prod(target.shape[: axis + 1])),
        divisor=steps.divisor,
    )
