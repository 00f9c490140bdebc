"""SELECT and SELECT_V2: where a condition holds the second input's value, else the third's."""

from __future__ import annotations

from collections.abc import Iterator

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import NodeView
from tinyml_rules.ops._shared import constraints
from tinyml_rules.ops._shared.operator import Check, Meaning, Oracle
from tinyml_rules.ops._shared.plain_values import expression_values, takes_type
from tinyml_rules.ops._shared.value_kernels import Order, value_meaning

TYPES = (DType.INT8, DType.INT32, DType.INT64, DType.FLOAT32, DType.BOOL)
CONSTANTS = ((1,), (2,), (1, 2))
"""Values to choose from; a condition that is a constant is brought into RAM."""


def select_meanings(oracle: Oracle, check_shapes: Check, order: Order) -> tuple[Meaning, ...]:
    """One for each type of the values; `order` has the operands in shapes that broadcast."""
    return tuple(_meaning(dtype, oracle, check_shapes, order) for dtype in TYPES)


def _meaning(dtype: DType, oracle: Oracle, check_shapes: Check, order: Order) -> Meaning:
    def check(view: NodeView) -> Iterator[str]:
        """A condition, and values of one type, of int8 in one quantization."""
        yield from constraints.plain(view.input(0), "condition", DType.BOOL)
        problems: list[str] = []
        for tensor, role in (
            *((view.input(1), "second input"), (view.input(2), "third input")),
            (view.output, "output"),
        ):
            problems += constraints.plain(tensor, role, dtype)
            if dtype is DType.INT8:
                problems += constraints.per_tensor(tensor, role)
        yield from problems
        yield from check_shapes(view)
        if dtype is DType.INT8 and not problems:
            yield from constraints.quantized_as_output(view, 1, 2)

    return value_meaning(
        f"select_{dtype}",
        expression_values("first ? second : third", (DType.BOOL, dtype, dtype), dtype),
        oracle,
        takes=takes_type(dtype, place=1),
        check=check,
        order=order,
        constants=CONSTANTS,
    )
