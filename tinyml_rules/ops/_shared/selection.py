"""What SELECT and SELECT_V2 share: the second input's value if a condition is true, else the
third's."""

from __future__ import annotations

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ops._shared.operands import plain, value_of
from tinyml_rules.ops._shared.operator import Check, Meaning, Oracle
from tinyml_rules.ops._shared.plain_values import expression_values, takes_type
from tinyml_rules.ops._shared.quantized_values import QUANTIZED
from tinyml_rules.ops._shared.value_kernels import Order, value_meaning

TYPES = (DType.INT8, DType.INT16, DType.INT32, DType.INT64, DType.FLOAT32, DType.BOOL)
CONSTANTS = ((1,), (2,), (1, 2))
"""Operands that may be tables: the values to choose from. A constant condition is copied into
RAM."""


def select_meanings(oracle: Oracle, check_shapes: Check, order: Order) -> tuple[Meaning, ...]:
    """A meaning for each type of the values; `order` gives the operands in shapes that
    broadcast."""
    return tuple(_meaning(dtype, oracle, check_shapes, order) for dtype in TYPES)


def _meaning(dtype: DType, oracle: Oracle, check_shapes: Check, order: Order) -> Meaning:
    is_scaled = dtype in QUANTIZED
    value = value_of(dtype, scale_of="output") if is_scaled else plain(dtype)
    return value_meaning(
        f"select_{dtype}",
        expression_values("first ? second : third", (DType.BOOL, dtype, dtype), dtype),
        oracle,
        takes=takes_type(dtype, place=1),
        operands={
            "condition": plain(DType.BOOL),
            "second input": value,
            "third input": value,
            "output": value_of(dtype) if is_scaled else plain(dtype),
        },
        check=check_shapes,
        order=order,
        constants=CONSTANTS,
    )
