"""MUL: the product of two tensors, broadcast where their shapes differ."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.packed import Packed
from tinyml_rules.ir.program import Kernel
from tinyml_rules.ops._shared.activated import ActivationAttrs, check_activation
from tinyml_rules.ops._shared.broadcast import (
    SECOND,
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


def _becomes_smaller(params: object) -> bool:
    """Shapes are equal, and products are shifted to the right."""
    return type(params) is Params and params.shift < 0


def _bounded(kernel: Kernel) -> Kernel:
    """The kernel for equal shapes, whose params say how products become int8: they are bounded."""
    return replace(kernel, pack=lambda work: Packed(work.params, most_sum=_MOST_PRODUCT))


_VECTORS = vector_kernel(
    "mul", Path(__file__).parent / "kernels" / "vectors.c.j2", _becomes_smaller
)

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
        replace(_INT8, kernels=(_VECTORS, *_INT8.kernels[:-1], _bounded(_INT8.kernels[-1]))),
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
