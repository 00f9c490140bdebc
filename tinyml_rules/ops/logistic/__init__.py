"""LOGISTIC: 1 / (1 + exp(-x)), of int8 always as a table, of int16 by an interpolated one."""

from __future__ import annotations

from collections.abc import Mapping

from tinyml_rules.arithmetic.exponential import logistic
from tinyml_rules.arithmetic.interpolated import interpolated_logistic
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.rounding_reference import RoundingReference
from tinyml_rules.ops._shared.operands import int8
from tinyml_rules.ops._shared.operator import Meaning
from tinyml_rules.ops._shared.quantization import fixed
from tinyml_rules.ops._shared.real_maps import (
    LOGISTIC,
    Float32Array,
    in_float32,
    map_op,
    plain_logistic,
    real_kernel,
    real_logistic,
    real_map,
)
from tinyml_rules.ops._shared.sigmoids import through_fixed_point, through_reals
from tinyml_rules.ops._shared.wide_sigmoids import sigmoid_meaning, through_sigmoids


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor; `Logistic` of TFLM."""
    source = view["input"]
    if view.reference is RoundingReference.LITERT:
        return through_reals(source, view.output, values[source.index], plain_logistic)
    return through_fixed_point(
        source, values[source.index], logistic, output_bits=8, zero_point=-128
    )


@in_float32
def oracle_of_reals(values: Float32Array, _attrs: object) -> Array:
    """`reference_ops::Logistic` of TFLM."""
    return real_logistic(values)


def oracle_of_int16(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The same of int16; only units of 2^-12 are not multiplied."""
    source = values[view["input"].index]
    return through_sigmoids(view, source, interpolated_logistic, exact_shifts=(0,))


_SCALE, _ZERO_POINT = 1 / 256, -128
_OPERANDS = {"input": int8(), "output": int8(shape="input", fixed=(_SCALE, _ZERO_POINT))}
"""TFLM checks the zero point alone, and assumes the scale."""

OP = map_op(
    "logistic",
    14,
    real_kernel(
        real_map(oracle_of_reals),
        "logistic",
        LOGISTIC,
        calls=("real_exp",),
    ),
    sigmoid_meaning("logistic", oracle_of_int16, exact_shifts=(0,)),
    Meaning(operands=_OPERANDS, oracle=oracle),
    summary="int8, output scale 1/256 and zero point -128; int16, output scale 1/32768; float32",
    quantization=fixed(_SCALE, _ZERO_POINT, int16_scale=1 / 32768),
)
