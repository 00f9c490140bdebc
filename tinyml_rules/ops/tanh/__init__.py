"""TANH: the hyperbolic tangent, always as a table."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tinyml_rules.arithmetic.exponential import tanh
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.rounding_reference import RoundingReference
from tinyml_rules.ops._shared.operands import int8
from tinyml_rules.ops._shared.operator import Meaning
from tinyml_rules.ops._shared.quantization import fixed
from tinyml_rules.ops._shared.real_maps import (
    ISLAND,
    Float32Array,
    Float64Array,
    in_double,
    map_op,
    real_map,
)
from tinyml_rules.ops._shared.sigmoids import through_fixed_point, through_reals


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor; `Tanh` of TFLM."""
    source = view["input"]
    if view.reference is RoundingReference.LITERT:
        return through_reals(source, view.output, values[source.index], _of_float32)
    return through_fixed_point(source, values[source.index], tanh, output_bits=7, zero_point=0)


@in_double
def oracle_of_reals(values: Float64Array, _attrs: object) -> Array:
    """`reference_ops::Tanh` of TFLM."""
    return np.asarray(np.tanh(values))


def _of_float32(values: Float32Array) -> Float32Array:
    return np.tanh(values.astype(np.float64)).astype(np.float32)


_SCALE, _ZERO_POINT = 1 / 128, 0
_OPERANDS = {"input": int8(), "output": int8(shape="input", fixed=(_SCALE, _ZERO_POINT))}
"""TFLM takes the output to be quantized so."""

OP = map_op(
    "tanh",
    28,
    real_map(oracle_of_reals),
    Meaning(operands=_OPERANDS, oracle=oracle),
    summary=f"int8, output scale 1/128 and zero point 0; {ISLAND}",
    quantization=fixed(_SCALE, _ZERO_POINT),
)
