"""DEPTHWISE_CONV_2D of real numbers: the constants of its kernel.

The sums are as those of CONV_2D, tap after tap.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tinyml_rules.ir.c_struct import Int
from tinyml_rules.ir.graph import NodeView
from tinyml_rules.ir.program import Work
from tinyml_rules.ir.window import Window
from tinyml_rules.ops._shared.accumulate import weighted_macs
from tinyml_rules.ops._shared.convolution import ConvolutionAttrs, slidings
from tinyml_rules.ops._shared.real_weights import RealParams, RealSums, real_params
from tinyml_rules.ops._shared.spatial import column_reach, row_window, walks


@dataclass(frozen=True, eq=False)
class Params(RealParams):
    """Members of the C struct; weights is [window height][window width][output channels], without
    the taps that never lie in the image; widths, stride, dilation and padding are horizontal, in
    pixels."""

    input_width: Int
    input_channels: Int
    output_width: Int
    output_channels: Int
    depth_multiplier: Int
    window_width: Int
    stride: Int
    dilation: Int
    pad_left: Int
    window: Window


def prepare(view: NodeView) -> Work[RealSums]:
    """A row at a time."""
    attrs, source, weights, result = view.node.attrs, view["input"], view["weights"], view.output
    assert isinstance(attrs, ConvolutionAttrs) and weights.data is not None
    vertical, horizontal = walks(view, *slidings(view))
    channels, outputs = source.shape[3], weights.shape[3]
    seen = np.ascontiguousarray(weights.data[0, vertical.taps, horizontal.taps])
    window = row_window(source, result, vertical)
    params = Params(
        **vars(real_params(view, weights=seen, outputs=outputs, activation=attrs.activation)),
        input_width=source.shape[2],
        input_channels=channels,
        output_width=result.shape[2],
        output_channels=outputs,
        depth_multiplier=outputs // channels,
        window_width=horizontal.size,
        stride=horizontal.stride,
        dilation=horizontal.dilation,
        pad_left=horizontal.pad_before,
        window=window,
    )
    return Work(
        params=params,
        facts=RealSums(tuple(np.split(seen.reshape(-1, outputs).T, channels))),
        inputs=(source.index,),
        outputs=(result.index,),
        window=window,
        columns=column_reach(source, result, horizontal),
        macs=weighted_macs(view),
    )
