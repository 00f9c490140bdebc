"""The inputs of a window: along one axis of an image, and its rows as C has them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated

from tinyml_rules.ir.c_struct import Int
from tinyml_rules.ir.contract import Extent


@dataclass(frozen=True)
class Reach:
    """The inputs that each output depends on along one axis, rows or columns: start, start +
    dilation, ..., `size` of them, with start = (output * stride - pad_before) / divisor, rounded
    down; what is outside the image is not read.  A divisor above the stride makes more outputs than
    there are inputs.  `input_bytes` and `output_bytes` are those of one row or of one pixel."""

    inputs: int
    outputs: int
    size: int
    stride: int
    dilation: int
    pad_before: int
    input_bytes: int
    output_bytes: int
    divisor: int = 1

    @property
    def furthest(self) -> int:
        """The largest number that a kernel counts to, before or after the image, in either
        direction."""
        before = -(-abs(self.pad_before) // self.divisor)
        return max(self.last_end + before, self.inputs + before)

    @property
    def last_end(self) -> int:
        """The largest end of the last window, without padding."""
        return self.outputs * self.stride // self.divisor + self.size * self.dilation

    def first(self, output: int) -> int:
        """The first input that an output or a later one reads; `inputs` or more if none does."""
        return max(self._start(output), 0)

    def end(self, output: int) -> int:
        """How many inputs an output needs; 0 or less if none."""
        return min(self._start(output) + (self.size - 1) * self.dilation + 1, self.inputs)

    @property
    def ascending(self) -> int:
        """How many bytes the inputs have to be above the outputs, if these are written from the
        first to the last."""
        first, size = self.first, self.output_bytes
        distances = ((y + 1) * size - first(y) * self.input_bytes for y in self._bends())
        return max(*distances, 0)

    @property
    def descending(self) -> int:
        """How many bytes the outputs have to be above the inputs, if they are written from the
        last to the first."""
        end, size = self.end, self.output_bytes
        distances = (end(y) * self.input_bytes - y * size for y in self._bends())
        return max(*distances, 0)

    def _start(self, output: int) -> int:
        return (output * self.stride - self.pad_before) // self.divisor

    def _bends(self) -> Iterable[int]:
        """The outputs that decide: both distances are linear in the output, with one bend where the
        window enters or leaves the image.  With a divisor they are steps: every output decides."""
        if self.divisor > 1:
            return range(self.outputs)
        enters = self.pad_before // self.stride
        leaves = (
            self.inputs - (self.size - 1) * self.dilation - 1 + self.pad_before
        ) // self.stride
        last = self.outputs - 1
        around = (0, enters, enters + 1, leaves, leaves + 1, last)
        return [min(max(output, 0), last) for output in around]


@dataclass(frozen=True)
class Window:
    """A member of C structs: the input rows of an output row are top .. top +
    (height - 1) * dilation with top = (y * stride - pad_top) / divisor, rounded down.  Sizes in
    rows and bytes, for one image of `batches`."""

    batches: Int
    input_rows: Int
    output_rows: Int
    height: Annotated[Int, Extent]
    stride: Int
    dilation: Int
    pad_top: Int
    input_row_bytes: Int
    output_row_bytes: Int
    divisor: Int | None = None
    """None for 1, which C omits: it is 0 there if other windows have one."""

    @classmethod
    def of(cls, rows: Reach, *, batches: int) -> Window:
        """The rows of `batches` images."""
        return cls(
            batches=batches,
            input_rows=rows.inputs,
            output_rows=rows.outputs,
            height=rows.size,
            stride=rows.stride,
            dilation=rows.dilation,
            pad_top=rows.pad_before,
            input_row_bytes=rows.input_bytes,
            output_row_bytes=rows.output_bytes,
            divisor=rows.divisor if rows.divisor > 1 else None,
        )

    @property
    def rows(self) -> Reach:
        """The same as a `Reach`."""
        return Reach(
            inputs=self.input_rows,
            outputs=self.output_rows,
            size=self.height,
            stride=self.stride,
            dilation=self.dilation,
            pad_before=self.pad_top,
            input_bytes=self.input_row_bytes,
            output_bytes=self.output_row_bytes,
            divisor=self.divisor or 1,
        )
