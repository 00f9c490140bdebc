"""ADD in numpy, with numpy's own broadcasting."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tinyml_rules.arithmetic.fixed_point import (
    Int64Array,
    multiply_by_quantized_multiplier,
    requantize,
)
from tinyml_rules.ir.graph import Array, NodeView, Tensor
from tinyml_rules.ops._shared.broadcast import operands
from tinyml_rules.ops.add.op import LEFT_SHIFT, params_of


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor."""
    params = params_of(view)

    def rescaled(tensor: Tensor, multiplier: int, shift: int) -> Int64Array:
        data = values[tensor.index] if tensor.data is None else tensor.data
        raised = (data.astype(np.int64) - tensor.zero_point) << LEFT_SHIFT
        return multiply_by_quantized_multiplier(raised, multiplier, shift)

    first, second = operands(view)
    return requantize(
        rescaled(first, params.first_multiplier, params.first_shift)
        + rescaled(second, params.second_multiplier, params.second_shift),
        params.output_multiplier,
        params.output_shift,
        zero_point=params.output_zero_point,
        clamp_min=params.clamp_min,
        clamp_max=params.clamp_max,
    )
