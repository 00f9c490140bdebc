"""SELECT: one of two values by a condition, which has the same shape or one element a row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from tinyml_rules.ir.graph import Array, NodeView, Tensor
from tinyml_rules.ops._shared import constraints
from tinyml_rules.ops._shared.broadcast import has_single_constants
from tinyml_rules.ops._shared.operator import Op
from tinyml_rules.ops._shared.quantization import MOVES
from tinyml_rules.ops._shared.selection import TYPES, select_meanings


def check_shapes(view: NodeView) -> Iterator[str]:
    """Values of the output's shape; a condition of that shape, of one value, or of one a row."""
    condition, result = view["condition"], view.output
    yield from constraints.shaped(view["second input"], result.shape, role="second input")
    yield from constraints.shaped(view["third input"], result.shape, role="third input")
    rows = result.shape[:1]
    if condition.shape not in (result.shape, rows, ()):
        yield (
            f"condition tensor {condition} has shape {list(condition.shape)}, expected "
            f"{list(result.shape)} or {list(rows)}"
        )


def operands(view: NodeView) -> tuple[Tensor, ...]:
    """A condition for each row is one along the first dimension."""
    condition, result = view["condition"], view.output
    if condition.shape != result.shape:
        ones = (1,) * (len(result.shape) - len(condition.shape))
        data = None if condition.data is None else condition.data.reshape(*condition.shape, *ones)
        condition = replace(condition, shape=(*condition.shape, *ones), data=data)
    return condition, view["second input"], view["third input"]


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor."""
    condition, first, second = (values[each.index] for each in view.inputs if each is not None)
    others = (1,) * (first.ndim - condition.ndim)
    return np.where(condition.reshape(*condition.shape, *others), first, second)


OP = Op(
    name="select",
    builtin_code=64,
    options_type=47,
    inputs=("condition", "second input", "third input"),
    summary=f"{', '.join(TYPES)}; equal shapes, or a condition for each row; any input constant; "
    "int8, int16 in one quantization",
    is_map=has_single_constants,
    meanings=select_meanings(oracle, check_shapes, operands),
    quantization=MOVES,
)
