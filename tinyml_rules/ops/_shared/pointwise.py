"""What operators share that map one int8 tensor to another, value by value."""

from __future__ import annotations

import math
from collections.abc import Iterator

from tinyml_rules.ir.graph import NodeView
from tinyml_rules.ir.program import Work
from tinyml_rules.ops._shared import constraints


def check_map(view: NodeView) -> Iterator[str]:
    """int8 input and output of the same shape."""
    source, result = view.input(0), view.output
    yield from constraints.quantized(source, "input")
    yield from constraints.quantized(result, "output")
    yield from constraints.shaped(result, source.shape)


def map_work(view: NodeView, params: object) -> Work:
    """One unit is one value."""
    return Work(
        params=params,
        inputs=(view.input(0).index,),
        outputs=(view.output.index,),
        units=view.output.count,
        chunk=row_of(view.output.shape),
    )


def row_of(shape: tuple[int, ...]) -> int:
    """Values in a row of an image, or in the last dimension of anything else; 1 for a scalar."""
    return math.prod(shape[2:]) if len(shape) == 4 else math.prod(shape[-1:])
