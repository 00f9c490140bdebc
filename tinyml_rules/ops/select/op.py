"""SELECT: the shapes that it takes, and as which they broadcast."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tinyml_rules.ir.graph import NodeView, Tensor
from tinyml_rules.ops._shared import constraints


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
