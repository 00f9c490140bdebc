"""RSQRT: 1 / sqrt(x)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np

from tinyml_rules.arithmetic.fixed_point import (
    INT8_MAX,
    INT8_MIN,
    multiply_by_quantized_multiplier,
    quantize_multiplier,
)
from tinyml_rules.arithmetic.inverse_square_root import inverse_square_roots
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
from tinyml_rules.ops._shared.scales import product

MOST_FACTOR = 2.0**30


def check(view: NodeView) -> Iterator[str]:
    """The factor needs no shift beyond int32."""
    source, result = view["input"], view.output
    if 1 / (math.sqrt(source.scale) * result.scale) >= MOST_FACTOR:
        yield (
            f"output tensor {result} has scale {result.scale:g}, too small for the input's "
            f"{source.scale:g}"
        )


_MORE_BITS = 20
"""Additional fraction bits between the two multiplications."""
_MOST_DISTANCE = 255


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor; `RsqrtEvalQuantized` of TFLM.

    It gives the greatest value for 0, and ends the inference with an error for negative values,
    which here count as 0."""
    source, result = view["input"], view.output
    roots, shifts = inverse_square_roots(np.arange(_MOST_DISTANCE + 1))
    one = np.ones(_MOST_DISTANCE + 1, np.int64)
    scaled = multiply_by_quantized_multiplier(one, roots, shifts + _MORE_BITS)
    multiplier, shift = quantize_multiplier(
        1 / product(view, math.sqrt(source.scale), result.scale)
    )
    found = multiply_by_quantized_multiplier(scaled, multiplier, shift - _MORE_BITS)
    table = np.clip(found + result.zero_point, INT8_MIN, INT8_MAX)
    table[0] = INT8_MAX
    distances = values[source.index].astype(np.int64) - source.zero_point
    return table[np.maximum(distances, 0)].astype(np.int8)


@in_float32
def oracle_of_reals(values: Float32Array, _attrs: object) -> Array:
    """`RsqrtEval` of TFLM."""
    return np.asarray(np.float32(1) / np.sqrt(values))


OP = map_op(
    "rsqrt",
    76,
    real_kernel(
        real_map(oracle_of_reals), "rsqrt", "1.0f / @real_sqrt(value)", calls=("real_sqrt",)
    ),
    Meaning(operands=INT8_MAP, check=check, oracle=oracle),
    summary="int8, the greatest value for 0 and below; float32",
    quantization=FREE,
)
