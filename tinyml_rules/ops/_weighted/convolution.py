"""The weighted sums of CONV_2D and of DEPTHWISE_CONV_2D."""

from __future__ import annotations

import numpy as np

from tinyml_rules.arithmetic.fixed_point import Activation, clamp_range
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import NodeView
from tinyml_rules.ir.requantization import Requantization
from tinyml_rules.ops._shared.accumulate import fold_bias, multipliers, sum_bounds
from tinyml_rules.ops._shared.convolution import ConvolutionAttrs, slidings
from tinyml_rules.ops._shared.spatial import column_reach, row_window, walks
from tinyml_rules.ops._weighted.sums import Element, Sums


def sums_of(view: NodeView, *, axis: int) -> Sums:
    """Those of a checked node with constant weights, which have the outputs along `axis`: first, or
    last, with one channel of the input for each."""
    attrs = view.node.attrs
    assert isinstance(attrs, ConvolutionAttrs)
    source, weights, result = view["input"], view["weights"], view.output
    assert weights.data is not None
    vertical, horizontal = walks(view, *slidings(view))
    seen = np.moveaxis(weights.data[:, vertical.taps, horizontal.taps], axis, 0)
    outputs = len(seen)
    matrix = np.ascontiguousarray(seen.reshape(outputs, -1))
    multiplier, shift = multipliers(source, weights, result, channels=outputs)
    bounds = sum_bounds(view, matrix, multiplier, shift)
    clamp_min, clamp_max = clamp_range(
        Activation(attrs.activation), scale=result.scale, zero_point=result.zero_point
    )
    return Sums(
        matrix=matrix,
        bias=fold_bias(
            view.optional("bias"),
            weight_sums=matrix.astype(np.int64).sum(axis=1),
            input_zero_point=source.zero_point,
        ),
        requantization=Requantization(
            multiplier=multiplier,
            shift=shift,
            output_zero_point=result.zero_point,
            clamp_min=clamp_min,
            clamp_max=clamp_max,
            most_sum=bounds.most,
        ),
        element=Element.INT4 if weights.dtype is DType.INT4 else Element.INT8,
        channels=source.shape[3],
        group=1 if axis else weights.shape[3],
        input_zero_point=source.zero_point,
        overflow=bounds.overflow,
        window=row_window(source, result, vertical),
        columns=column_reach(source, result, horizontal),
    )
