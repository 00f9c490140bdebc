"""TANH: the hyperbolic tangent, of int8 always as a table, of int16 by an interpolated one."""

from __future__ import annotations

from collections.abc import Mapping

from tinyml_rules.arithmetic.exponential import tanh
from tinyml_rules.arithmetic.interpolated import interpolated_tanh
from tinyml_rules.arithmetic.real_hyperbolic import real_tanh
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.rounding_reference import RoundingReference
from tinyml_rules.ops._shared.operands import int8
from tinyml_rules.ops._shared.operator import Meaning
from tinyml_rules.ops._shared.quantization import fixed
from tinyml_rules.ops._shared.real_maps import (
    Float32Array,
    in_float32,
    map_op,
    real_kernel,
    real_map,
)
from tinyml_rules.ops._shared.sigmoids import through_fixed_point, through_reals
from tinyml_rules.ops._shared.wide_sigmoids import sigmoid_meaning, through_sigmoids


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor; `Tanh` of TFLM."""
    source = view["input"]
    if view.reference is RoundingReference.LITERT:
        return through_reals(source, view.output, values[source.index], _of_float32)
    return through_fixed_point(source, values[source.index], tanh, output_bits=7, zero_point=0)


@in_float32
def oracle_of_reals(values: Float32Array, _attrs: object) -> Array:
    """`reference_ops::Tanh` of TFLM."""
    return real_tanh(values)


def _of_float32(values: Float32Array) -> Float32Array:
    return real_tanh(values)


def oracle_of_int16(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The same of int16; units of 2^-12 and 2^-11 are not multiplied."""
    source = values[view["input"].index]
    return through_sigmoids(view, source, interpolated_tanh, exact_shifts=(0, 1))


_SCALE, _ZERO_POINT = 1 / 128, 0
_OPERANDS = {"input": int8(), "output": int8(shape="input", fixed=(_SCALE, _ZERO_POINT))}
"""TFLM assumes this quantization of the output."""

OP = map_op(
    "tanh",
    28,
    real_kernel(real_map(oracle_of_reals), "tanh", "@real_tanh(value)", calls=("real_tanh",)),
    sigmoid_meaning("tanh", oracle_of_int16, exact_shifts=(0, 1)),
    Meaning(operands=_OPERANDS, oracle=oracle),
    summary="int8, output scale 1/128 and zero point 0; int16, output scale 1/32768; float32",
    quantization=fixed(_SCALE, _ZERO_POINT, int16_scale=1 / 32768),
)
