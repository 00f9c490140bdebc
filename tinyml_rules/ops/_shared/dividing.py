"""What the operators that divide unquantized numbers share.

TFLM and LiteRT stop at a divisor of 0, and a processor may trap at INT32_MIN / -1. Here a constant
divisor of 0 is refused, a computed one gives 0, and INT32_MIN / -1 wraps.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import NodeView
from tinyml_rules.ops._shared.broadcast import (
    FIRST_AND_SECOND,
    check_broadcast,
    has_single_constants,
)
from tinyml_rules.ops._shared.operator import Meaning, Op, Oracle
from tinyml_rules.ops._shared.plain_values import (
    MOST_SIMPLE_RANK,
    plain_meaning,
    plain_operands,
    takes_type,
)
from tinyml_rules.ops._shared.real_maps import ISLAND

IS_ABOVE = "first % second != 0 && (first < 0) != (second < 0)"
"""C condition: whether the truncated quotient is greater than the one rounded down."""


def check_divisor(view: NodeView) -> Iterator[str]:
    """A constant divisor has no 0."""
    divisor = view["second input"]
    if divisor.data is not None and not np.all(divisor.data):
        yield f"second input tensor {divisor} has a 0, which would be a division by zero"


def _check_real(view: NodeView) -> Iterator[str]:
    """The divisor is constant, has one value, and is not 0."""
    yield from check_broadcast(view, most_rank=MOST_SIMPLE_RANK)
    yield from check_divisor(view)
    divisor = view["second input"]
    if not has_single_constants(view) or not divisor.is_constant:
        yield (
            f"second input tensor {divisor} of float32, expected a constant of one value: "
            "supported only between operators that convert from and to 8 bits"
        )


def floored(
    name: str, codes: tuple[int, int], expression: str, *, of_int32: Oracle, of_real: Oracle
) -> Op:
    """An operator whose quotient is rounded down, an expression in C of int32; `codes` are the
    schema's numbers of the operator and of its options."""

    return Op(
        name=name,
        builtin_code=codes[0],
        options_type=codes[1],
        inputs=FIRST_AND_SECOND,
        summary="int32, by 0 it is 0; broadcast up to 4 dimensions; either input constant; "
        f"{ISLAND} by a constant",
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
            Meaning(
                takes=takes_type(DType.FLOAT32),
                operands=plain_operands(DType.FLOAT32, DType.FLOAT32),
                check=_check_real,
                oracle=of_real,
            ),
        ),
    )
