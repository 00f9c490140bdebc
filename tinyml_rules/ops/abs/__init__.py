"""ABS: the absolute value."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.in_numpy import requantized
from tinyml_rules.ops._shared.operator import Meaning
from tinyml_rules.ops._shared.pointwise import INT8_MAP, check_factor
from tinyml_rules.ops._shared.quantization import FREE
from tinyml_rules.ops._shared.real_maps import (
    Float32Array,
    in_float32,
    map_op,
    real_kernel,
    real_map,
)
from tinyml_rules.ops._shared.rescaled_maps import RESCALED, MapParams, factor_params, int16_map
from tinyml_rules.ops._shared.scales import quotient


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor; `AbsEvalQuantized` of TFLM."""
    source, result = view["input"], view.output
    distances = np.abs(values[source.index].astype(np.int64) - source.zero_point)
    return requantized(result, distances, quotient(view, source.scale, result.scale))


def int16_params_of(view: NodeView) -> MapParams:
    """`PrepareAbsRsqrt` of TFLM."""
    return factor_params(view, quotient(view, view["input"].scale, view.output.scale))


@in_float32
def oracle_of_reals(values: Float32Array, _attrs: object) -> Array:
    """`AbsEval` of TFLM."""
    return np.abs(values)


OP = map_op(
    "abs",
    101,
    real_kernel(real_map(oracle_of_reals), "abs", "__builtin_fabsf(value)"),
    int16_map(
        "abs",
        oracle,
        int16_params_of,
        expression=RESCALED.replace("value", "value < 0 ? -value : value"),
        what="moved to the output's scale without its sign",
    ),
    Meaning(operands=INT8_MAP, check=check_factor, oracle=oracle),
    summary="int8, int16, input and output may be quantized differently; float32",
    options_type=78,
    quantization=FREE,
)
