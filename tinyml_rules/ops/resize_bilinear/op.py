"""RESIZE_BILINEAR: options, what may be wrong with a node, and its constants.

Output row y is at the input's row y * step + offset, in 1024ths, and columns likewise. It is
interpolated between the rows above and below by the fraction of its place; beyond the edge both are
the last row (`ComputeInterpolationValuesInteger` of TFLM).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import gcd

import numpy as np

from tinyml_rules.arithmetic.fixed_point import INT32_MAX
from tinyml_rules.ir.c_struct import Float32, Int
from tinyml_rules.ir.graph import NodeView
from tinyml_rules.ir.options import option
from tinyml_rules.ir.program import Work
from tinyml_rules.ir.window import Reach, Window
from tinyml_rules.ops._shared import constraints
from tinyml_rules.ops._shared.moving import ints
from tinyml_rules.ops._shared.operands import int8, numbers, real
from tinyml_rules.ops._shared.spatial import IMAGE

ONE = 1 << 10
"""One row or column, in the unit of places."""
_EXACT = 1 << 4
"""With multiples of it, and half of one, a fraction has at most 7 bits: float32 holds 8 bits of a
value times two of them."""


@dataclass(frozen=True)
class Attrs:
    """ResizeBilinearOptions; the first two fields of its table are no longer used."""

    align_corners: bool = option(2, "bool")
    half_pixel_centers: bool = option(3, "bool")


@dataclass(frozen=True)
class Params:
    """Members of the C struct; steps and offsets in 1024ths."""

    input_width: Int
    channels: Int
    output_width: Int
    row_step: Int
    row_offset: Int
    column_step: Int
    column_offset: Int
    window: Window


@dataclass(frozen=True)
class RealParams:
    """Members of the C struct for real numbers; steps in rows and columns."""

    batches: Int
    input_height: Int
    input_width: Int
    channels: Int
    output_height: Int
    output_width: Int
    row_step: Float32
    column_step: Float32
    centre: Float32
    """Of a row or column: 0 or a half."""


@dataclass(frozen=True)
class Places:
    """The places of the outputs in the input along one axis, in 1024ths."""

    inputs: int
    outputs: int
    step: int
    offset: int

    @property
    def last(self) -> int:
        """The place of the last output."""
        return (self.outputs - 1) * self.step + self.offset

    def reach(self, input_bytes: int, output_bytes: int) -> Reach:
        """An output depends on two inputs from place / 1024 on; the fraction is reduced."""
        factor = gcd(self.step, ONE)
        stride, divisor, pad = self.step // factor, ONE // factor, -(self.offset // factor)
        if not stride:  # all are at one place, as with steps that are small enough
            stride, divisor, pad = 1, self.outputs, pad * self.outputs
        return Reach(
            inputs=self.inputs,
            outputs=self.outputs,
            size=2,
            stride=stride,
            dilation=1,
            pad_before=pad,
            input_bytes=input_bytes,
            output_bytes=output_bytes,
            divisor=divisor,
        )


def places(attrs: Attrs, inputs: int, outputs: int) -> Places:
    """The places along one axis; the scale is rounded to 1024ths (`ResizeBilinearInteger` of
    TFLM)."""
    if attrs.align_corners and outputs > 1:
        step = (ONE * (inputs - 1) + (outputs - 1) // 2) // (outputs - 1)
    else:
        step = (ONE * inputs + outputs // 2) // outputs
    offset = step // 2 - ONE // 2 if attrs.half_pixel_centers else 0
    return Places(inputs, outputs, step, offset)


def axes(view: NodeView) -> tuple[Places, Places]:
    """Places (vertically, horizontally)."""
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    source, result = view["input"].shape, view.output.shape
    return places(attrs, source[1], result[1]), places(attrs, source[2], result[2])


OPERANDS = {
    "input": int8(ranks=IMAGE),
    "size": numbers(),
    "output": int8(ranks=IMAGE, scale_of="input"),
}
REAL_OPERANDS = {"input": real(ranks=IMAGE), "size": numbers(), "output": real(ranks=IMAGE)}


def check_options(view: NodeView) -> Iterator[str]:
    """The two options are not set together."""
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    if attrs.align_corners and attrs.half_pixel_centers:
        yield "align_corners and half_pixel_centers together: TFLM takes one of them"


def check_real(view: NodeView) -> Iterator[str]:
    """The size is that of the output."""
    source, result, size = view["input"], view.output, ints(view["size"])
    if size != result.shape[1:3]:
        yield f"size tensor {view['size']} has {list(size)}, expected {list(result.shape[1:3])}"
    else:
        yield from constraints.shaped(result, (source.shape[0], *size, source.shape[3]))


def check(view: NodeView) -> Iterator[str]:
    """The same, and all places are inside the image."""
    wrong = list(check_real(view))
    yield from wrong
    for places_ in axes(view) if not wrong else ():
        if places_.last // ONE >= places_.inputs:
            yield (
                f"{places_.outputs} from {places_.inputs} rows or columns of input tensor "
                f"{view['input']}: TFLM rounds the scale so that it reads beyond them"
            )
        elif ONE * (places_.inputs + 1) + places_.outputs > INT32_MAX:
            yield (
                f"rows or columns of input tensor {view['input']} are more than TFLM counts in 32 "
                "bits"
            )


def check_uint8(view: NodeView) -> Iterator[str]:
    """The same, and all places are exact in few bits: then float32, in which LiteRT computes them
    and the products, gives what integers give."""
    wrong = list(check(view))
    yield from wrong
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    for places_ in axes(view) if not wrong else ():
        has_corners = attrs.align_corners and places_.outputs > 1
        inputs, outputs = places_.inputs - has_corners, places_.outputs - has_corners
        is_exact = ONE * inputs == places_.step * outputs
        if places_.inputs > 1 and not (is_exact and places_.step % _EXACT == 0):
            yield (
                f"{places_.outputs} from {places_.inputs} rows or columns of input tensor "
                f"{view['input']} of uint8, expected steps of a multiple of 1/{ONE // _EXACT}: "
                "LiteRT computes others in float32"
            )


def prepare(view: NodeView) -> Work:
    """Work by rows."""
    source, result = view["input"], view.output
    (batches, _, width, channels), outputs = source.shape, result.shape[2]
    down, across = axes(view)
    window = Window.of(down.reach(width * channels, outputs * channels), batches=batches)
    return Work(
        params=Params(
            input_width=width,
            channels=channels,
            output_width=outputs,
            row_step=down.step,
            row_offset=down.offset,
            column_step=across.step,
            column_offset=across.offset,
            window=window,
        ),
        inputs=(source.index,),
        outputs=(result.index,),
        window=window,
        columns=across.reach(channels, channels),
    )


def prepare_real(view: NodeView) -> Work:
    """The whole image at once."""
    attrs, source, result = view.node.attrs, view["input"], view.output
    assert isinstance(attrs, Attrs)
    batches, height, width, channels = source.shape
    return Work(
        params=RealParams(
            batches=batches,
            input_height=height,
            input_width=width,
            channels=channels,
            output_height=result.shape[1],
            output_width=result.shape[2],
            row_step=_real_step(attrs, height, result.shape[1]),
            column_step=_real_step(attrs, width, result.shape[2]),
            centre=0.5 if attrs.half_pixel_centers else 0.0,
        ),
        inputs=(source.index,),
        outputs=(result.index,),
    )


def _real_step(attrs: Attrs, inputs: int, outputs: int) -> float:
    """From one output to the next along an axis (`ResizeBilinear` of TFLM), in float32."""
    less = 1 if attrs.align_corners and outputs > 1 else 0
    return float(np.float32(inputs - less) / np.float32(outputs - less))
