"""The weighted sums of CONV_2D and of DEPTHWISE_CONV_2D."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tinyml_rules.ir.graph import NodeView
from tinyml_rules.ir.sums import Sums
from tinyml_rules.ops._shared.accumulate import multipliers
from tinyml_rules.ops._shared.convolution import ConvolutionAttrs, slidings
from tinyml_rules.ops._shared.spatial import column_reach, row_window, walks
from tinyml_rules.ops._weighted.of_node import sums_of_node
from tinyml_rules.ops._weighted.zero_point import with_zero_point, zero_point_of


def sums_of(view: NodeView, *, axis: int) -> Sums:
    """Those of a checked node with constant weights, which have the outputs along `axis`: first, or
    last, with one channel of the input for each."""
    attrs = view.node.attrs
    assert isinstance(attrs, ConvolutionAttrs)
    source, weights, result = view["input"], view["weights"], view.output
    assert weights.data is not None
    vertical, horizontal = walks(view, *slidings(view))
    seen = np.moveaxis(weights.data[:, vertical.taps, horizontal.taps], axis, 0)
    matrix = np.ascontiguousarray(seen.reshape(len(seen), -1))
    zero_point = zero_point_of(weights)
    if zero_point:
        matrix = matrix.astype(np.int16) - np.int16(zero_point)
    scale = multipliers(view, channels=len(matrix))
    sums = sums_of_node(
        view,
        matrix,
        scale,
        activation=attrs.activation,
        channels=source.shape[3],
        group=1 if axis else weights.shape[3],
    )
    sums = with_zero_point(sums, zero_point) if zero_point else sums
    return replace(
        sums,
        window=row_window(source, result, vertical),
        columns=column_reach(source, result, horizontal),
    )
