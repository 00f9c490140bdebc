"""FULLY_CONNECTED in numpy, straight from its definition and without the folded bias."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tinyml_rules.arithmetic.fixed_point import requantize, wrap_int32
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops.fully_connected.op import params_of


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor."""
    params = params_of(view)
    source, weights, bias = view.input(0), view.input(1), view.optional_input(2)
    assert weights.data is not None
    vectors = values[source.index].reshape(-1, params.input_count).astype(np.int64)
    acc = (vectors - source.zero_point) @ weights.data.astype(np.int64).T
    if bias is not None and bias.data is not None:
        acc = acc + bias.data.astype(np.int64).reshape(-1)
    return requantize(
        wrap_int32(acc),
        np.asarray(params.multiplier, np.int64),
        np.asarray(params.shift, np.int64),
        zero_point=params.output_zero_point,
        clamp_min=params.clamp_min,
        clamp_max=params.clamp_max,
    ).reshape(view.output.shape)
