"""What the operators that map int8 values to int8 values share."""

from __future__ import annotations

import math
from collections.abc import Iterator

from tinyml_rules.ir.graph import NodeView
from tinyml_rules.ir.program import Work
from tinyml_rules.ops._shared import constraints
from tinyml_rules.ops._shared.operands import int8

INT8_MAP = {"input": int8(), "output": int8(shape="input")}
"""Operands of an operator from int8 to int8."""


def check_factor(view: NodeView) -> Iterator[str]:
    """The quotient of the scales needs no left shift beyond int32."""
    yield from constraints.rescaling(view["input"], view.output)


def map_work(view: NodeView, params: object) -> Work:
    """One unit is one value."""
    return Work(
        params=params,
        inputs=(view["input"].index,),
        outputs=(view.output.index,),
        units=view.output.count,
        chunk=row_of(view.output.shape),
    )


def vector_work(view: NodeView, params: object) -> Work:
    """One unit is one vector of the last dimension."""
    source = view["input"]
    return Work(
        params=params,
        inputs=(source.index,),
        outputs=(view.output.index,),
        units=source.count // source.shape[-1],
    )


def row_of(shape: tuple[int, ...]) -> int:
    """Values in a row of an image, or in the last dimension of anything else; 1 for a scalar."""
    return math.prod(shape[2:]) if len(shape) == 4 else math.prod(shape[-1:])
