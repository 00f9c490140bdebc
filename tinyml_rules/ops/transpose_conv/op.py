"""TRANSPOSE_CONV: options, what may be wrong with a node, and its constants.

Input cell i adds weights[tap] * (input - zero_point) to output cell i * stride - pad + tap, along
height and width.  Seen from the output, the taps that meet cell o are those of its phase,
(o + pad) modulo the stride: phase, phase + stride, ...  So each pair of phases is a convolution of
stride 1 with weights and a bias of its own, into which the zero point is folded as everywhere.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tinyml_rules.arithmetic.fixed_point import Activation, clamp_range
from tinyml_rules.ir.c_struct import Int, Int8, Result
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.options import option
from tinyml_rules.ir.program import Work
from tinyml_rules.ir.requantization import Requantization
from tinyml_rules.ir.window import Reach, Window
from tinyml_rules.ops._shared.accumulate import fold_bias, multipliers, sum_bounds
from tinyml_rules.ops._shared.convolution import check_weights, operands_of, real_operands_of
from tinyml_rules.ops._shared.moving import ints
from tinyml_rules.ops._shared.operands import numbers
from tinyml_rules.ops._shared.spatial import INT16_MAX, Padding, Sliding

CHANNEL_AXIS = 0
"""Of the weights."""
_SHAPE = numbers(computed=(DType.INT32,))
"""TFLM takes the shape of the output from the file, and never reads this operand."""
OPERANDS = {**operands_of(axis=CHANNEL_AXIS), "shape": _SHAPE}
REAL_OPERANDS = {**real_operands_of(axis=CHANNEL_AXIS), "shape": _SHAPE}


@dataclass(frozen=True)
class Attrs:
    """TransposeConvOptions."""

    padding: int = option(0, "int8")
    stride_width: int = option(1, "int32")
    stride_height: int = option(2, "int32")
    activation: int = option(3, "int8")


@dataclass(frozen=True, eq=False)
class Geometry:
    """Members of the C struct that kernels of every element type have, in pixels and channels."""

    input_channels: Int
    output_channels: Int
    input_width: Int
    output_width: Int
    window_height: Int
    window_width: Int
    stride_down: Int
    stride: Int
    pad_top: Int
    pad_left: Int
    phases_across: Int


@dataclass(frozen=True, eq=False)
class Scaled:
    """Tables of the C struct.

    weights is [phase down][phase across][output channels][taps down][taps across][input channels],
    the taps in the order of the input cells that they meet; bias is [phase down][phase across]
    [output channels], with one phase more for all those that no tap has.
    """

    weights: Array
    bias: Array
    multiplier: Array
    shift: Array


@dataclass(frozen=True, eq=False)
class Params(Geometry, Scaled):
    """Members of the C struct: the tables, the geometry, and these."""

    input_zero_point: Int8
    output_zero_point: Int8
    clamp_min: Result
    clamp_max: Result
    window: Window


@dataclass(frozen=True, eq=False)
class _Phase:
    """One of the convolutions: its weights, [output channels][down][across][input channels]."""

    weights: Array
    multiplier: Array
    shift: Array

    @property
    def matrix(self) -> Array:
        """The weights of an output a row."""
        return self.weights.reshape(len(self.weights), -1)


@dataclass(frozen=True)
class Axis:
    """The operator along height or width: an input of `inputs` cells, `outputs` that it adds to."""

    size: int
    stride: int
    pad: int
    inputs: int
    outputs: int

    @property
    def most_taps(self) -> int:
        """Of all phases."""
        return -(-self.size // self.stride)

    @property
    def phases(self) -> range:
        """Those that differ: all from the window's size on are without taps."""
        return range(min(self.stride, self.size + 1))

    def taps(self, phase: int) -> slice:
        """Those of the window at a phase, from the last to the first: the first input cell that an
        output sees meets the last tap."""
        found = range(phase, self.size, self.stride)
        return slice(found[-1], phase - 1 if phase else None, -self.stride) if found else slice(0)

    def reach(self, input_bytes: int, output_bytes: int) -> Reach:
        """The input cells behind an output: the last one that begins at it or in front of it, and
        those before that."""
        return Reach(
            inputs=self.inputs,
            outputs=self.outputs,
            size=self.most_taps,
            stride=1,
            dilation=1,
            pad_before=(self.most_taps - 1) * self.stride - self.pad,
            input_bytes=input_bytes,
            output_bytes=output_bytes,
            divisor=self.stride,
        )


def axes(view: NodeView) -> tuple[Axis, Axis]:
    """(vertically, horizontally)."""
    attrs, weights, image, result = view.node.attrs, view["weights"], view["input"], view.output
    assert isinstance(attrs, Attrs)
    strides = (attrs.stride_height, attrs.stride_width)
    down, across = (
        Axis(size, stride, Sliding(size, stride).pad_before(outputs, inputs), inputs, outputs)
        for size, stride, inputs, outputs in zip(
            weights.shape[1:3], strides, image.shape[1:3], result.shape[1:3], strict=True
        )
    )
    return down, across


def macs(view: NodeView) -> int:
    """Every input value meets every tap of every output channel, those in the padding included."""
    weights, image = view["weights"], view["input"]
    return image.count * weights.count // max(weights.shape[-1] if weights.shape else 1, 1)


def check(view: NodeView) -> Iterator[str]:
    """Weights [outputs][height][width][inputs]; shapes that agree."""
    yield from check_weights(view)
    shape, result = view["shape"], view.output
    if shape.is_constant and ints(shape) != result.shape:
        yield f"shape tensor {shape} has {list(ints(shape))}, expected {list(result.shape)}"
    yield from _check_geometry(view)


def _check_geometry(view: NodeView) -> Iterator[str]:
    """A convolution over an image like the output gives one like the input."""
    attrs, weights, image, result = view.node.attrs, view["weights"], view["input"], view.output
    assert isinstance(attrs, Attrs)
    strides = (attrs.stride_height, attrs.stride_width)
    if min(strides) < 1:
        yield f"stride {min(strides)}, expected at least 1"
        return
    if max(strides) > INT16_MAX:
        yield f"stride {max(strides)}, expected at most {INT16_MAX}: TFLM counts in 16 bits"
        return
    if attrs.padding not in tuple(Padding):
        yield f"padding {attrs.padding}, expected 0 (SAME) or 1 (VALID)"
        return
    slide = [Sliding(*each) for each in zip(weights.shape[1:3], strides, strict=True)]
    sizes = [
        each.output_size(size, Padding(attrs.padding))
        for each, size in zip(slide, result.shape[1:3], strict=True)
    ]
    expected = (result.shape[0], *sizes, weights.shape[3])
    if result.shape[3] != weights.shape[0]:
        outputs = weights.shape[0]
        yield f"output tensor {result} has {result.shape[3]} channels, expected {outputs}"
    elif image.shape != expected:
        yield (
            f"input tensor {image} has shape {list(image.shape)}, expected {list(expected)}: "
            f"that of a convolution over output tensor {result}"
        )
    elif max(axis.pad for axis in axes(view)) > INT16_MAX:
        yield f"padding beyond {INT16_MAX}: TFLM counts in 16 bits"


def prepare(view: NodeView) -> Work:
    """A row at a time."""
    image, result = view["input"], view.output
    down, across = axes(view)
    phases = list(_phases(view))
    params = _params(view, phases)
    bounds = [sum_bounds(view, phase.matrix, phase.multiplier, phase.shift) for phase in phases]
    return Work(
        params=params,
        inputs=(image.index,),
        outputs=(result.index,),
        window=params.window,
        columns=across.reach(image.shape[3], result.shape[3]),
        patch=down.most_taps * across.most_taps * image.shape[3],
        macs=macs(view),
        overflow=next((each.overflow for each in bounds if each.overflow), ""),
        requantization=Requantization.of(params, max(each.most for each in bounds)),
    )


def _phases(view: NodeView) -> Iterator[_Phase]:
    """Every pair of phases, in the order of the tables."""
    multiplier, shift = multipliers(view, channels=view["weights"].shape[0])
    for seen in weights_of_phases(view):
        yield _Phase(seen, multiplier, shift)


def weights_of_phases(view: NodeView) -> Iterator[Array]:
    """[output channels][taps down][taps across][input channels] of every pair of phases."""
    weights, (down, across) = view["weights"], axes(view)
    assert weights.data is not None
    for pair in itertools.product(down.phases, across.phases):
        seen = weights.data[:, down.taps(pair[0]), across.taps(pair[1])]
        yield np.ascontiguousarray(seen)


def _params(view: NodeView, phases: list[_Phase]) -> Params:
    source, result = view["input"], view.output
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    clamp_min, clamp_max = clamp_range(
        Activation(attrs.activation), scale=result.scale, zero_point=result.zero_point
    )
    return Params(
        weights=np.concatenate([phase.weights.reshape(-1) for phase in phases]),
        bias=_bias(view, phases),
        multiplier=phases[0].multiplier,
        shift=phases[0].shift,
        **vars(geometry_of(view)),
        input_zero_point=source.zero_point,
        output_zero_point=result.zero_point,
        clamp_min=clamp_min,
        clamp_max=clamp_max,
        window=window_of(view),
    )


def geometry_of(view: NodeView) -> Geometry:
    """Of a checked node."""
    source, result, (down, across) = view["input"], view.output, axes(view)
    return Geometry(
        input_channels=source.shape[3],
        output_channels=result.shape[3],
        input_width=source.shape[2],
        output_width=result.shape[2],
        window_height=down.size,
        window_width=across.size,
        stride_down=down.stride,
        stride=across.stride,
        pad_top=down.pad,
        pad_left=across.pad,
        phases_across=len(across.phases),
    )


def window_of(view: NodeView) -> Window:
    """The input rows of an output row."""
    source, result, (down, _) = view["input"], view.output, axes(view)
    bytes_of = (each.shape[2] * each.shape[3] * each.dtype.size_bytes for each in (source, result))
    return Window.of(down.reach(*bytes_of), batches=source.shape[0])


def _bias(view: NodeView, phases: list[_Phase]) -> Array:
    """That of every phase."""
    bias, zero_point = view.optional("bias"), view["input"].zero_point
    sums = (phase.matrix.astype(np.int64).sum(axis=1) for phase in phases)
    folded = [fold_bias(bias, weight_sums=each, input_zero_point=zero_point) for each in sums]
    return np.concatenate(folded)
