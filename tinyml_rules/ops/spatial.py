"""Geometry of the operators that slide a window over an image [batch, height, width, channels].

Shared by convolutions and pooling: output sizes, padding, and the rows that a row is made from.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from tinyml_rules.ir.graph import NodeView, Tensor
from tinyml_rules.ir.program import Window

RANK = 4


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

    @property
    def reach(self) -> int:
        """Input positions from the window's first tap to its last, both included."""
        return (self.size - 1) * self.dilation + 1

    def output_size(self, input_size: int, padding: Padding) -> int:
        """`ComputeOutSize` of TFLM; 0 or less where the window does not fit."""
        if padding is Padding.SAME:
            return (input_size + self.stride - 1) // self.stride
        return (input_size + self.stride - self.reach) // self.stride

    def pad_before(self, input_size: int, output_size: int) -> int:
        """Padding before the first input: the smaller half (`ComputePaddingWithOffset` of TFLM)."""
        return max((output_size - 1) * self.stride + self.reach - input_size, 0) // 2


def check_image(tensor: Tensor, role: str) -> Iterator[str]:
    """The tensor is an image: [batch, height, width, channels]."""
    if len(tensor.shape) != RANK:
        yield f"{role} tensor {tensor} has {len(tensor.shape)} dimensions, expected {RANK}"


def check_window(
    view: NodeView, *, padding: int, vertical: Sliding, horizontal: Sliding, channels: int
) -> Iterator[str]:
    """Window, strides and dilations are positive and give the output's shape."""
    source, result = view.input(0), view.output
    steps = (vertical.stride, horizontal.stride, vertical.dilation, horizontal.dilation)
    if min(vertical.size, horizontal.size, *steps) < 1:
        yield "window sizes, strides and dilations have to be at least 1"
        return
    if padding not in tuple(Padding):
        yield f"padding {padding}, expected 0 (SAME) or 1 (VALID)"
        return
    problems = [*check_image(source, "input"), *check_image(result, "output")]
    yield from problems
    if problems:
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


def row_window(source: Tensor, result: Tensor, vertical: Sliding) -> Window:
    """The rows of `source` behind each row of `result`; both int8 images."""
    batches, input_rows, input_width, input_channels = source.shape
    _, output_rows, output_width, output_channels = result.shape
    return Window(
        batches=batches,
        input_rows=input_rows,
        output_rows=output_rows,
        height=vertical.size,
        stride=vertical.stride,
        dilation=vertical.dilation,
        pad_top=vertical.pad_before(input_rows, output_rows),
        input_row_bytes=input_width * input_channels,
        output_row_bytes=output_width * output_channels,
    )


def patches(
    image: npt.NDArray[np.int64],
    vertical: Sliding,
    horizontal: Sliding,
    *,
    output: Tensor,
    fill: int,
) -> npt.NDArray[np.int64]:
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
