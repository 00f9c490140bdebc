"""DEPTHWISE_CONV_2D: options, what may be wrong with a node, and its constants.

Output channel c * depth_multiplier + m sees input channel c alone.  As in CONV_2D, the zero-point
term of the whole window is folded into the bias.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np

from tinyml_rules.ir.c_struct import Int, Int8, Result
from tinyml_rules.ir.contract import (
    PRODUCTS_MOST,
    Biases,
    Elements,
    Extent,
    Multipliers,
    Padding,
    Shifts,
    each_pixel,
)
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.options import option
from tinyml_rules.ir.program import Work
from tinyml_rules.ir.sums import Element, Sums
from tinyml_rules.ir.window import Window
from tinyml_rules.ir.work_kind import WorkKind
from tinyml_rules.ops._shared.accumulate import has_computed_constants, weighted_macs
from tinyml_rules.ops._shared.channels import Channels, repeated_channels
from tinyml_rules.ops._shared.convolution import (
    ConvolutionAttrs,
    check_geometry,
    check_weights,
    operands_of,
    real_operands_of,
)
from tinyml_rules.ops._weighted.convolution import sums_of

CHANNEL_AXIS = 3
"""Of the weights."""
OPERANDS = operands_of(axis=CHANNEL_AXIS, may_be_computed=True)
REAL_OPERANDS = real_operands_of(axis=CHANNEL_AXIS)


@dataclass(frozen=True)
class Attrs(ConvolutionAttrs):
    depth_multiplier: int = option(3, "int32")
    activation: int = option(4, "int8")
    dilation_width: int = option(5, "int32", default=1)
    dilation_height: int = option(6, "int32", default=1)


TAPS = "window.height * window_width"
CONTRACT = replace(
    each_pixel(
        "input_channels",
        "output_channels",
        requires=(
            f"{TAPS} <= {PRODUCTS_MOST}",
            f"({TAPS}) * output_channels <= {Extent.most}",
            f"window_width * dilation <= {Extent.most}",
            "output_channels == input_channels * depth_multiplier",
        ),
    ),
    products=TAPS,
)


@dataclass(frozen=True, eq=False)
class Params:
    """Members of the C struct; weights is [window height][window width][output channels], the
    other arrays have an entry for every output channel; widths in pixels.  The window is without
    the taps that never lie in the image."""

    weights: Annotated[Array, Elements(f"({TAPS}) * output_channels")]
    bias: Annotated[Array, Elements("output_channels"), Biases]
    multiplier: Annotated[Array, Elements("output_channels"), Multipliers]
    shift: Annotated[Array, Elements("output_channels"), Shifts]
    input_width: Annotated[Int, Extent]
    input_channels: Annotated[Int, Extent]
    output_width: Annotated[Int, Extent]
    output_channels: Annotated[Int, Extent]
    depth_multiplier: Annotated[Int, Extent]
    window_width: Annotated[Int, Extent]
    stride: Annotated[Int, Extent]
    dilation: Annotated[Int, Extent]
    pad_left: Annotated[Int, Padding]
    input_zero_point: Int8
    output_zero_point: Int8
    clamp_min: Result
    clamp_max: Result
    window: Window


@dataclass(frozen=True, eq=False)
class OffsetParams(Params):
    """The same of weights with a zero point."""

    weights_zero_point: Int8


def check(view: NodeView) -> Iterator[str]:
    """Weights [1][height][width][outputs]; outputs a multiple of inputs."""
    attrs, source, weights = view.node.attrs, view["input"], view["weights"]
    assert isinstance(attrs, Attrs)
    yield from check_weights(view)
    channels = weights.shape[CHANNEL_AXIS]
    if weights.shape[0] != 1:
        yield f"weights tensor {weights} has shape {list(weights.shape)}, expected 1 as the first"
    expected = source.shape[3] * attrs.depth_multiplier
    if expected != channels:
        yield (
            f"weights tensor {weights} has {channels} channels, expected {expected}: "
            f"{source.shape[3]} of the input times a depth multiplier of "
            f"{attrs.depth_multiplier}"
        )
    yield from check_geometry(view, axis=CHANNEL_AXIS)


def channels(view: NodeView) -> Channels | None:
    """Each output channel sees one of the input."""
    if has_computed_constants(view):
        return None
    times = view.output.shape[3] // view["input"].shape[3]
    return repeated_channels(view, times, operands=((1, CHANNEL_AXIS), (2, 0)))


def prepare(view: NodeView) -> Work[Sums]:
    """A row at a time.  Weights of four bits become bytes: they are few, and bytes are as fast as
    those of int8."""
    sums = sums_of(view, axis=CHANNEL_AXIS)
    if sums.element is Element.INT4:
        sums = replace(sums, element=Element.INT8)
    return Work(
        params=struct_of(sums),
        facts=sums,
        inputs=(view["input"].index,),
        outputs=(view.output.index,),
        window=sums.window,
        columns=sums.columns,
        patch=sums.taps,
        macs=weighted_macs(view),
        kind=WorkKind.DEPTHWISE,
        overflow=sums.overflow,
        requantization=sums.requantization,
    )


def struct_of(sums: Sums) -> Params:
    """What the plain kernels read."""
    found, across = sums.requantization, sums.across
    by_tap = np.ascontiguousarray(sums.stored.T).reshape(1, -1, across.size, sums.outputs)
    params = Params(
        weights=by_tap,
        bias=sums.bias,
        multiplier=sums.multipliers,
        shift=sums.shifts,
        input_width=across.inputs,
        input_channels=sums.channels,
        output_width=across.outputs,
        output_channels=sums.outputs,
        depth_multiplier=sums.outputs // sums.channels,
        window_width=across.size,
        stride=across.stride,
        dilation=across.dilation,
        pad_left=across.pad_before,
        input_zero_point=sums.input_zero_point,
        output_zero_point=found.output_zero_point,
        clamp_min=found.clamp_min,
        clamp_max=found.clamp_max,
        window=sums.down,
    )
    if sums.element is Element.OFFSET:
        return OffsetParams(**vars(params), weights_zero_point=sums.weights_zero_point)
    return params
