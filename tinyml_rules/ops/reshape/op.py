"""RESHAPE: what may be wrong with a node.

The output tensor's own shape is taken, as TFLM does; the new shape in the options or in the second
input says the same, with a -1 at most, and real files leave out either or both.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.program import Place
from tinyml_rules.ops._shared import constraints
from tinyml_rules.ops._shared.moves import same_elements


def check(view: NodeView) -> Iterator[str]:
    """int8, as many values, the same quantization; a constant shape where one is given."""
    source, result = view.input(0), view.output
    problems = [
        *constraints.quantized_activation(source, "input"),
        *constraints.quantized_activation(result, "output"),
    ]
    yield from problems or constraints.same_quantization(view)
    if source.count != result.count:
        yield f"output tensor {result} has {result.count} values, but the input has {source.count}"
    shape = view.optional_input(1)
    if shape is None:
        return
    if not shape.is_constant:
        yield f"shape tensor {shape} is computed at run time, expected a constant"
    elif shape.dtype is not DType.INT32:
        yield f"shape tensor {shape} is {shape.dtype}, expected int32"


def layout(view: NodeView) -> tuple[Place, ...]:
    """All elements in their order."""
    return (same_elements(view.input(0), view.output),)


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The input's bytes in the output's shape."""
    return np.reshape(values[view.input(0).index], view.output.shape)
