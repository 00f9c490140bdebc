"""ADD in numpy, with numpy's own broadcasting."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tinyml_rules.arithmetic.fixed_point import (
    Int64Array,
    multiply_by_quantized_multiplier,
    quantize_multiplier,
    requantize,
)
from tinyml_rules.ir.graph import Array, NodeView, Tensor
from tinyml_rules.ops._shared.in_numpy import bounds
from tinyml_rules.ops.add.op import Attrs

BITS = 20
"""By which the inputs are raised before they are rescaled."""


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor."""
    attrs, result = view.node.attrs, view.output
    assert isinstance(attrs, Attrs)
    first, second = view.input(0), view.input(1)
    scale = 2 * max(first.scale, second.scale)

    def rescaled(tensor: Tensor) -> Int64Array:
        raised = (values[tensor.index].astype(np.int64) - tensor.zero_point) * 2**BITS
        factor = quantize_multiplier(tensor.scale / scale)
        return multiply_by_quantized_multiplier(raised, *factor)

    low, high = bounds(result, attrs.activation)
    return requantize(
        rescaled(first) + rescaled(second),
        *quantize_multiplier(scale / (2**BITS * result.scale)),
        zero_point=result.zero_point,
        clamp_min=low,
        clamp_max=high,
    )
