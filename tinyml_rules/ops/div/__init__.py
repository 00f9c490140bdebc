"""DIV: the first tensor divided by the second, broadcast where their shapes differ."""

from dataclasses import dataclass

import numpy as np

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.words import Variant
from tinyml_rules.ops._shared.activated import ActivationAttrs, check_activation
from tinyml_rules.ops._shared.broadcast import has_single_constants
from tinyml_rules.ops._shared.dividing import check_divisor
from tinyml_rules.ops._shared.operator import Op
from tinyml_rules.ops._shared.plain_values import clamped_meaning, takes_type, unscaled
from tinyml_rules.ops._shared.quantization import Numbers, affine_rule
from tinyml_rules.ops._shared.value_kernels import Values, value_meaning
from tinyml_rules.ops.div.op import BY_ZERO, check, params_of
from tinyml_rules.ops.div.oracle import of_float32, of_int32, oracle


@dataclass(frozen=True)
class ByZero(Variant):
    """Words of the function of int8 values."""

    by_zero: int
    """The quotient, before it is requantized, of a negative number by 0."""


_VALUES = Values(
    "div/kernels/value.c.j2",
    runtime=("rounding_high_multiply", "rounding_shift_right"),
    function=ByZero(BY_ZERO),
)


def _quotient(values: Numbers, is_first: bool) -> tuple[Numbers, Numbers] | None:
    """The factor and the term of a constant divisor."""
    return None if is_first or not values.all() else (1 / values, np.zeros(()))


OP = Op(
    name="div",
    builtin_code=42,
    options_type=29,
    attrs=ActivationAttrs,
    inputs=("first input", "second input"),
    options=check_activation,
    summary="int8, int32, float32; broadcast up to 5 dimensions; either input constant; fused "
    "activation; int8 by 0 as in TFLM, int32 by 0 is 0",
    is_map=has_single_constants,
    meanings=(
        value_meaning(
            "div",
            _VALUES,
            oracle,
            takes=takes_type(DType.INT8),
            check=check,
            params_of=params_of,
        ),
        clamped_meaning(
            "div",
            DType.INT32,
            "second == 0 ? 0 : second == -1 ? (int32_t)(0u - (uint32_t)first) : first / second",
            of_int32,
            called="quotient",
            more=lambda view: (*unscaled(view), *check_divisor(view)),
        ),
        clamped_meaning("div", DType.FLOAT32, "first / second", of_float32, called="quotient"),
    ),
    quantization=affine_rule(_quotient),
)
