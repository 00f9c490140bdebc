"""DEPTHWISE_CONV_2D in numpy, straight from its definition and without the folded bias."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tinyml_rules.arithmetic.fixed_point import requantize, wrap_int32
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.convolution import slidings
from tinyml_rules.ops._shared.spatial import patches
from tinyml_rules.ops.depthwise_conv_2d.op import params_of


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor."""
    params = params_of(view)
    source, weights, bias = view.input(0), view.input(1), view.optional_input(2)
    assert weights.data is not None
    image = values[source.index].astype(np.int64) - source.zero_point
    windows = patches(image, *slidings(view), output=view.output, fill=0)
    windows = np.repeat(windows, params.depth_multiplier, axis=-1)
    acc = np.einsum("byxhwo,hwo->byxo", windows, weights.data[0].astype(np.int64))
    if bias is not None and bias.data is not None:
        acc = acc + bias.data.astype(np.int64).reshape(-1)
    return requantize(
        wrap_int32(acc),
        params.multiplier.astype(np.int64),
        params.shift.astype(np.int64),
        zero_point=params.output_zero_point,
        clamp_min=params.clamp_min,
        clamp_max=params.clamp_max,
    )
