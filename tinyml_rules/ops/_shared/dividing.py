"""What the operators that divide unquantized numbers share.

TFLM and LiteRT stop at a divisor of 0, and a processor may trap at INT32_MIN / -1. Here a constant
divisor of 0 is refused, a computed one of int32 gives 0 and one of float32 what IEEE 754 says, and
INT32_MIN / -1 wraps.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import NodeView
from tinyml_rules.ops._shared.broadcast import (
    FIRST_AND_SECOND,
    has_single_constants,
)
from tinyml_rules.ops._shared.operator import Op, Oracle
from tinyml_rules.ops._shared.plain_values import (
    MOST_SIMPLE_RANK,
    plain_meaning,
)

IS_ABOVE = "first % second != 0 && (first < 0) != (second < 0)"
"""C condition: whether the truncated quotient is greater than the one rounded down."""


def check_divisor(view: NodeView) -> Iterator[str]:
    """A constant divisor has no 0."""
    divisor = view["second input"]
    if divisor.data is not None and not np.all(divisor.data):
        yield f"second input tensor {divisor} has a 0, which would be a division by zero"


def floored(
    name: str, codes: tuple[int, int], expression: str, *, of_int32: Oracle, of_real: Oracle
) -> Op:
    """An operator whose quotient is rounded down, an expression in C of int32, and a piece of C of
    float32; `codes` are the schema's numbers of the operator and of its options."""
    piece = f"real_{name}"
    return Op(
        name=name,
        builtin_code=codes[0],
        options_type=codes[1],
        inputs=FIRST_AND_SECOND,
        summary="int32, by 0 it is 0; float32; broadcast up to 4 dimensions; either input constant",
        is_map=has_single_constants,
        meanings=(
            plain_meaning(
                name,
                DType.INT32,
                expression,
                of_int32,
                most_rank=MOST_SIMPLE_RANK,
                more=check_divisor,
            ),
            plain_meaning(
                name,
                DType.FLOAT32,
                f"@{piece}(first, second)",
                of_real,
                most_rank=MOST_SIMPLE_RANK,
                calls=(piece,),
                more=check_divisor,
            ),
        ),
    )
