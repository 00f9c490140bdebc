"""RELU_N1_TO_1: min(max(x, -1), 1), between int8 tensors of any quantization; LiteRT's."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tinyml_rules.arithmetic.fixed_point import Activation
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.bounded import bounded, check_bounded
from tinyml_rules.ops._shared.operator import Meaning
from tinyml_rules.ops._shared.pointwise import INT8_MAP
from tinyml_rules.ops._shared.quantization import QuantizationRule
from tinyml_rules.ops._shared.real_maps import (
    Float32Array,
    in_float32,
    map_op,
    real_kernel,
    real_map,
)


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor."""
    return bounded(view, values, Activation.RELU_N1_TO_1)


@in_float32
def oracle_of_reals(values: Float32Array, _attrs: object) -> Array:
    """`Relu1Eval` of LiteRT."""
    return np.clip(values, np.float32(-1), np.float32(1))


OP = map_op(
    "relu_n1_to_1",
    20,
    real_kernel(
        real_map(oracle_of_reals),
        "relu_n1_to_1",
        "value < -1.0f ? -1.0f : value > 1.0f ? 1.0f : value",
    ),
    Meaning(operands=INT8_MAP, check=check_bounded, oracle=oracle),
    summary="int8, input and output may be quantized differently; float32",
    quantization=QuantizationRule(clamp=Activation.RELU_N1_TO_1),
)
