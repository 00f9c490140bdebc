"""Geometry of the operators that slide a window over an image [batch, height, width, channels].

Shared by convolutions and pooling: output sizes, padding, and the input rows of an output row.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np
import numpy.typing as npt

from tinyml_rules.arithmetic.fixed_point import INT32_MAX
from tinyml_rules.ir.graph import NodeView, Tensor
from tinyml_rules.ir.window import Reach, Window

RANK = 4


IMAGE = range(RANK, RANK + 1)
INT16_MAX = 2**15 - 1


class Padding(IntEnum):
    """Numbered as in the schema."""

    SAME = 0
    VALID = 1


@dataclass(frozen=True)
class Sliding:
    """How a window of `size` moves along one dimension."""

    size: int
    stride: int
    dilation: int = 1
    border: tuple[int, int] = (0, 0)
    """Explicit padding (before, after), which counts as a part of the input."""

    @property
    def reach(self) -> int:
        """Number of input positions from the window's first tap to its last."""
        return (self.size - 1) * self.dilation + 1

    def output_size(self, input_size: int, padding: Padding) -> int:
        """`ComputeOutSize` of TFLM; 0 or less if the window does not fit."""
        input_size += sum(self.border)
        if padding is Padding.SAME:
            return (input_size + self.stride - 1) // self.stride
        return (input_size + self.stride - self.reach) // self.stride

    def pad_before(self, input_size: int, output_size: int) -> int:
        """Padding before the first input: the explicit one, and the smaller half of the rest
        (`ComputePaddingWithOffset` of TFLM)."""
        missing = (output_size - 1) * self.stride + self.reach - input_size - sum(self.border)
        return self.border[0] + max(missing, 0) // 2

    def sees_outside(self, input_size: int, output_size: int) -> bool:
        """Whether some tap of a window is outside the input."""
        before = self.pad_before(input_size, output_size)
        return before > 0 or (output_size - 1) * self.stride + self.reach - before > input_size

    def always_meets(self, input_size: int, output_size: int) -> bool:
        """Whether every window overlaps the input."""
        before = self.pad_before(input_size, output_size)
        return before < self.reach and (output_size - 1) * self.stride - before < input_size


@dataclass(frozen=True)
class Walk:
    """How kernels move a window along one dimension of an image.

    Tap i of output o is at position o * stride - pad_before + i * dilation. The taps are those of
    the model's window from `first` on, without those at its ends that are outside the image for
    every output, so that all numbers are in proportion to the image.
    """

    first: int
    size: int
    stride: int
    dilation: int
    pad_before: int

    @property
    def taps(self) -> slice:
        """Indices of these taps in the model's window."""
        return slice(self.first, self.first + self.size)

    @property
    def is_identity(self) -> bool:
        """Whether output o depends on input o alone."""
        return (self.size, self.stride, self.dilation, self.pad_before) == (1, 1, 1, 0)


def _walk(sliding: Sliding, input_size: int, output_size: int) -> Walk:
    pad = sliding.pad_before(input_size, output_size)
    last_start = (output_size - 1) * sliding.stride - pad
    # the first tap that is ever at position 0 or later, and the first that is never before the end
    first = max(-(last_start // sliding.dilation), 0)
    end = min(-((-input_size - pad) // sliding.dilation), sliding.size)
    # where there is one output, so that a stride of any size is in proportion to the image
    stride = sliding.stride if output_size > 1 else min(sliding.stride, input_size)
    if end <= first:  # no tap ever meets the image: a single one, always before it, is equivalent
        return Walk(first=0, size=1, stride=1, dilation=2, pad_before=output_size)
    pad -= first * sliding.dilation
    if end > first + 1:
        return Walk(first, end - first, stride, sliding.dilation, pad)
    # the dilation of a single tap only tells kernels whether it may be outside
    is_inside = pad <= 0 and (output_size - 1) * stride - pad < input_size
    return Walk(first, 1, stride, 1 if is_inside else min(sliding.dilation, 2), pad)


def walks(view: NodeView, vertical: Sliding, horizontal: Sliding) -> tuple[Walk, Walk]:
    """How kernels move the window of a checked node, (vertically, horizontally)."""
    source, result = view["input"].shape, view.output.shape
    return _walk(vertical, source[1], result[1]), _walk(horizontal, source[2], result[2])


def check_window(
    view: NodeView,
    *,
    padding: int,
    vertical: Sliding,
    horizontal: Sliding,
    channels: int,
    most_step: int = INT32_MAX,
) -> Iterator[str]:
    """Window, strides and dilations are positive and give the output's shape.

    `most_step`: the greatest stride and dilation that the operator's options hold in TFLM."""
    source, result = view["input"], view.output
    steps = (vertical.stride, horizontal.stride, vertical.dilation, horizontal.dilation)
    if min(vertical.size, horizontal.size, *steps) < 1:
        yield "window sizes, strides and dilations have to be at least 1"
        return
    if padding not in tuple(Padding):
        yield f"padding {padding}, expected 0 (SAME) or 1 (VALID)"
        return
    batches, height, width, _ = source.shape
    expected = (
        batches,
        vertical.output_size(height, Padding(padding)),
        horizontal.output_size(width, Padding(padding)),
        channels,
    )
    if min(expected) < 1:
        yield f"a window of {vertical.reach}x{horizontal.reach} exceeds input tensor {source}"
    elif result.shape != expected:
        yield (f"output tensor {result} has shape {list(result.shape)}, expected {list(expected)}")
    else:
        down, across = f"down input tensor {source}", f"across input tensor {source}"
        yield from _check_numbers(vertical, height, expected[1], down, most=most_step)
        yield from _check_numbers(horizontal, width, expected[2], across, most=most_step)


def _check_numbers(
    sliding: Sliding, inputs: int, outputs: int, where: str, *, most: int
) -> Iterator[str]:
    """No number that is used exceeds its type in TFLM, where it would wrap."""
    for what, number, limit in (
        ("stride", sliding.stride, most if outputs > 1 else INT32_MAX - inputs),
        ("dilation", sliding.dilation, most if sliding.size > 1 else INT32_MAX),
        ("padding", sliding.pad_before(inputs, outputs), INT16_MAX),
    ):
        if number > limit:
            bits = 16 if limit == INT16_MAX else 32
            yield f"{what} {number} {where}, expected at most {limit}: TFLM counts in {bits} bits"
            return  # paddings follow from the other numbers


def row_window(source: Tensor, result: Tensor, vertical: Walk) -> Window:
    """The rows of `source` on which each row of `result` depends."""
    batches, input_rows, input_width, input_channels = source.shape
    _, output_rows, output_width, output_channels = result.shape
    return Window(
        batches=batches,
        input_rows=input_rows,
        output_rows=output_rows,
        height=vertical.size,
        stride=vertical.stride,
        dilation=vertical.dilation,
        pad_top=vertical.pad_before,
        input_row_bytes=input_width * input_channels * source.dtype.size_bytes,
        output_row_bytes=output_width * output_channels * result.dtype.size_bytes,
    )


def column_reach(source: Tensor, result: Tensor, horizontal: Walk) -> Reach:
    """The pixels of a row of `source` on which each pixel of `result` depends."""
    return Reach(
        inputs=source.shape[2],
        outputs=result.shape[2],
        size=horizontal.size,
        stride=horizontal.stride,
        dilation=horizontal.dilation,
        pad_before=horizontal.pad_before,
        input_bytes=source.shape[3] * source.dtype.size_bytes,
        output_bytes=result.shape[3] * result.dtype.size_bytes,
    )


def patches(
    image: npt.NDArray[Any],
    vertical: Sliding,
    horizontal: Sliding,
    *,
    output: Tensor,
    fill: float,
) -> npt.NDArray[Any]:
    """All windows of an image [batch, height, width, channels], cells outside it set to `fill`.

    Returns [batch, output height, output width, window height, window width, channels].
    """
    _, output_height, output_width, _ = output.shape
    rows = _taps(vertical, image.shape[1], output_height)
    columns = _taps(horizontal, image.shape[2], output_width)
    padded = np.pad(image, ((0, 0), (1, 1), (1, 1), (0, 0)), constant_values=fill)
    return padded[:, rows[:, None, :, None], columns[None, :, None, :], :]


def _taps(sliding: Sliding, input_size: int, output_size: int) -> npt.NDArray[np.int64]:
    """[output, tap] -> position in an image with one cell of padding either side."""
    starts = np.arange(output_size) * sliding.stride - sliding.pad_before(input_size, output_size)
    positions = starts[:, None] + np.arange(sliding.size) * sliding.dilation
    return np.asarray(np.clip(positions, -1, input_size) + 1, np.int64)
