"""MUL: the product of two tensors, broadcast if their shapes differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from tinyml_rules.arithmetic.fixed_point import quantize_multiplier
from tinyml_rules.ir.c_struct import Int8, Result
from tinyml_rules.ir.condition import Condition
from tinyml_rules.ir.contract import CLAMPED, CLAMPS, Contract, Multiplier, ProductShift
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.packed import Packed
from tinyml_rules.ir.program import Work
from tinyml_rules.ir.requantization import Requantization
from tinyml_rules.ops._shared import constraints
from tinyml_rules.ops._shared.activated import (
    ActivationAttrs,
    activation_of,
    check_activation,
    clamps_of,
)
from tinyml_rules.ops._shared.broadcast import (
    SECOND,
    ValueFacts,
    check_broadcast,
    constant_last,
    has_single_constants,
)
from tinyml_rules.ops._shared.in_numpy import activated, requantized
from tinyml_rules.ops._shared.operator import Op
from tinyml_rules.ops._shared.plain_values import (
    clamped_meaning,
    long_meaning,
    wrapping,
)
from tinyml_rules.ops._shared.quantization import affine_rule
from tinyml_rules.ops._shared.quantized_values import QUANTIZED, quantized_meaning
from tinyml_rules.ops._shared.scales import product, quotient
from tinyml_rules.ops._shared.vector_values import vector_kernel

MOST_FACTORS = {DType.INT8: 2.0**15, DType.INT16: 1.0}
"""With them every product, at most 255 * 255 or 2^30, stays in int32."""


@dataclass(frozen=True)
class Params:
    """Members of the C struct."""

    multiplier: Multiplier
    shift: ProductShift
    first_zero_point: Int8
    second_zero_point: Int8
    output_zero_point: Int8
    clamp_min: Result
    clamp_max: Result


CONTRACTS = {
    DType.INT8: Contract(requires=(CLAMPS,), result=CLAMPED),
    DType.INT16: Contract(
        requires=(CLAMPS, "first_zero_point == 0 && second_zero_point == 0 && shift <= 0"),
        result=CLAMPED,
    ),
}


def check(view: NodeView) -> Iterator[str]:
    """Shapes that broadcast to the output's."""
    first, second, result = view["first input"], view["second input"], view.output
    most = MOST_FACTORS[result.dtype]
    yield from constraints.rescaling(first, result, weights=second, most=most)
    yield from check_broadcast(view)


def params_of(view: NodeView) -> Params:
    """Everything that does not depend on the input's values."""
    result = view.output
    first, second = constant_last(view)
    multiplier, shift = quantize_multiplier(
        quotient(view, product(view, first.scale, second.scale), result.scale)
    )
    clamp_min, clamp_max = clamps_of(activation_of(view), result)
    return Params(
        multiplier=multiplier,
        shift=shift,
        first_zero_point=first.zero_point,
        second_zero_point=second.zero_point,
        output_zero_point=result.zero_point,
        clamp_min=clamp_min,
        clamp_max=clamp_max,
    )


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor; `MulElementwise` of TFLM."""
    result = view.output
    first, second = (
        values[tensor.index].astype(np.int64) - tensor.zero_point
        for tensor in (view["first input"], view["second input"])
    )
    scale = product(view, view["first input"].scale, view["second input"].scale)
    factor = quotient(view, scale, result.scale)
    return requantized(result, first * second, factor, activation_of(view))


def clamped(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The product of unquantized values, then the activation."""
    if view.output.dtype is DType.INT32:
        values = {index: each.astype(np.int64) for index, each in values.items()}
    return activated(np.multiply, view, values)


_MOST_PRODUCT = 255 * 255
"""The largest product of two int8 values minus their zero points."""

_INT8, _INT16 = (
    quantized_meaning(
        "mul",
        dtype,
        "mul/kernels/value.c.j2",
        oracle,
        runtime=("requantize",),
        check=check,
        params_of=params_of,
        order=constant_last,
        constants=SECOND,
        contract=CONTRACTS[dtype],
    )
    for dtype in QUANTIZED
)


_BECOMES_SMALLER = Condition[ValueFacts[Params]](
    lambda operands: operands.own.shift < 0, "products are not shifted to the right"
)


def _pack(work: Work[ValueFacts[Params]]) -> Packed:
    """The params, and how the bounded products are requantized."""
    return Packed(
        work.params, requantization=Requantization.of(work.facts.own, most_sum=_MOST_PRODUCT)
    )


_VECTORS = vector_kernel(
    "mul", Path(__file__).parent / "kernels" / "vectors.c.j2", _BECOMES_SMALLER
)

*_WALKING, _OF_EQUAL_SHAPES = _INT8.kernels

OP = Op(
    name="mul",
    builtin_code=18,
    options_type=21,
    attrs=ActivationAttrs,
    inputs=("first input", "second input"),
    options=check_activation,
    summary="int8, int16, int32, int64, float32; broadcast up to 5 dimensions; either input "
    "constant; fused activation, but for int64",
    is_map=has_single_constants,
    meanings=(
        replace(_INT8, kernels=(_VECTORS, *_WALKING, replace(_OF_EQUAL_SHAPES, pack=_pack))),
        _INT16,
        clamped_meaning(
            "mul",
            DType.INT32,
            wrapping("*"),
            clamped,
            called="product",
            constants=SECOND,
            order=constant_last,
        ),
        long_meaning("mul", "*", clamped, constants=SECOND, order=constant_last),
        clamped_meaning(
            "mul",
            DType.FLOAT32,
            "first * second",
            clamped,
            called="product",
            constants=SECOND,
            order=constant_last,
        ),
    ),
    quantization=affine_rule(lambda values, _first: (values, np.zeros(())), int16_version=4),
)
