"""What operators share that map one int8 tensor to another, value by value."""

from __future__ import annotations

from collections.abc import Iterator

from tinyml_rules.ir.graph import NodeView
from tinyml_rules.ir.program import Work
from tinyml_rules.ops import constraints


def check_map(view: NodeView) -> Iterator[str]:
    """int8 input and output of the same shape."""
    source, result = view.input(0), view.output
    yield from constraints.quantized_activation(source, "input")
    yield from constraints.quantized_activation(result, "output")
    yield from constraints.shaped(result, source.shape)


def map_work(view: NodeView, params: object) -> Work:
    """One unit is one value."""
    return Work(
        params=params,
        inputs=(view.input(0).index,),
        output=view.output.index,
        units=view.output.count,
    )
