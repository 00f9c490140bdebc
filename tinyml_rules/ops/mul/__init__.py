"""MUL: the product of two tensors, broadcast where their shapes differ."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from tinyml_rules.ir.condition import Condition
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.packed import Packed
from tinyml_rules.ir.program import Work
from tinyml_rules.ir.requantization import Requantization
from tinyml_rules.ops._shared.activated import ActivationAttrs, check_activation
from tinyml_rules.ops._shared.broadcast import (
    SECOND,
    ValueFacts,
    constant_last,
    has_single_constants,
)
from tinyml_rules.ops._shared.operator import Op
from tinyml_rules.ops._shared.plain_values import clamped_meaning, takes_type, wrapping
from tinyml_rules.ops._shared.quantization import affine_rule
from tinyml_rules.ops._shared.value_kernels import Values, value_meaning
from tinyml_rules.ops._shared.vector_values import vector_kernel
from tinyml_rules.ops.mul.op import Params, check, params_of
from tinyml_rules.ops.mul.oracle import clamped, oracle

_MOST_PRODUCT = 255 * 255
"""Of the distances of two int8 from their zero points."""

_VALUES = Values("mul/kernels/value.c.j2", runtime=("requantize",))
_INT8 = value_meaning(
    "mul",
    _VALUES,
    oracle,
    takes=takes_type(DType.INT8),
    check=check,
    params_of=params_of,
    order=constant_last,
    constants=SECOND,
)


_BECOMES_SMALLER = Condition[ValueFacts[Params]](
    lambda operands: operands.own.shift < 0, "products are not shifted to the right"
)


def _pack(work: Work[ValueFacts[Params]]) -> Packed:
    """The params say how products become int8: they are bounded."""
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
    summary="int8, int32, float32; broadcast up to 5 dimensions; either input constant; fused "
    "activation",
    is_map=has_single_constants,
    meanings=(
        replace(_INT8, kernels=(_VECTORS, *_WALKING, replace(_OF_EQUAL_SHAPES, pack=_pack))),
        clamped_meaning(
            "mul",
            DType.INT32,
            wrapping("*"),
            clamped,
            called="product",
            constants=SECOND,
            order=constant_last,
        ),
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
    quantization=affine_rule(lambda values, _first: (values, np.zeros(()))),
)
