"""DEQUANTIZE: what may be wrong with a node.

Its output must be the model's own: the pass `partition_conversions` cuts the node off and leaves
the conversion to the caller, so no such node is ever compiled or computed here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.program import Work
from tinyml_rules.ops._shared import constraints


def check(view: NodeView) -> Iterator[str]:
    """int8 input; a float32 output of the model that no node reads."""
    source, result = view.input(0), view.output
    yield from constraints.quantized_activation(source, "input")
    yield from constraints.typed(result, "output", DType.FLOAT32)
    yield from constraints.shaped(result, source.shape)
    readers = [node.index for node in view.graph.nodes if result.index in node.inputs]
    if result.index not in view.graph.outputs or readers:
        text = f"output tensor {result} is float32 inside the model, expected int8"
        yield constraints.WrongType(text, result)


def prepare(_view: NodeView) -> Work:
    """Never reached: the node is gone by now."""
    raise AssertionError("partition_conversions removes every DEQUANTIZE")


def oracle(_view: NodeView, _values: Mapping[int, Array]) -> Array:
    """Never reached: the node is gone by now."""
    raise AssertionError("partition_conversions removes every DEQUANTIZE")
