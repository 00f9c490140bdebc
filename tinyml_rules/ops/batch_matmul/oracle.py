"""BATCH_MATMUL in numpy, with numpy's own broadcasting."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tinyml_rules.arithmetic.fixed_point import (
    INT8_MAX,
    INT8_MIN,
    Int64Array,
    quantize_multiplier,
    requantize,
)
from tinyml_rules.ir.graph import Array, NodeView, Tensor
from tinyml_rules.ops._shared.scales import product
from tinyml_rules.ops.batch_matmul.op import Attrs


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor."""
    attrs, result = view.node.attrs, view.output
    assert isinstance(attrs, Attrs)

    def matrices(tensor: Tensor, *, is_transposed: bool) -> Int64Array:
        centred = values[tensor.index].astype(np.int64) - tensor.zero_point
        return centred.swapaxes(-1, -2) if is_transposed else centred

    first, second = view.input(0), view.input(1)
    return requantize(
        matrices(first, is_transposed=attrs.adj_x) @ matrices(second, is_transposed=attrs.adj_y),
        *quantize_multiplier(product(view, first.scale, second.scale) / result.scale),
        zero_point=result.zero_point,
        clamp_min=INT8_MIN,
        clamp_max=INT8_MAX,
    )
