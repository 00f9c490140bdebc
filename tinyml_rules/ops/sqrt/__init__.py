"""SQRT: the square root; int8 is LiteRT's."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tinyml_rules.arithmetic.fixed_point import INT8_MAX, INT8_MIN
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.operator import Meaning
from tinyml_rules.ops._shared.pointwise import INT8_MAP
from tinyml_rules.ops._shared.quantization import FREE
from tinyml_rules.ops._shared.real_maps import (
    Float32Array,
    in_float32,
    map_op,
    real_kernel,
    real_map,
)


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor; `SqrtEvalQuantized` of LiteRT.

    It truncates the root, and ends the inference with an error for negative values, which here
    count as 0.
    """
    source, result = view["input"], view.output
    distances = np.maximum(values[source.index].astype(np.int64) - source.zero_point, 0)
    roots = np.sqrt(np.float32(source.scale) * distances.astype(np.float32))
    whole = np.trunc(roots / np.float32(result.scale)) + result.zero_point
    return np.asarray(np.clip(whole, INT8_MIN, INT8_MAX), np.int8)


@in_float32
def oracle_of_reals(values: Float32Array, _attrs: object) -> Array:
    """`SqrtEval` of TFLM."""
    return np.asarray(np.sqrt(values))


OP = map_op(
    "sqrt",
    75,
    real_kernel(real_map(oracle_of_reals), "sqrt", "@real_sqrt(value)", calls=("real_sqrt",)),
    Meaning(operands=INT8_MAP, oracle=oracle),
    summary="int8, 0 for numbers below 0; float32",
    quantization=FREE,
)
