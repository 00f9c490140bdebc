"""ZEROS_LIKE: zeros in the shape of another tensor.  No kernel: always folded."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tinyml_rules.ir.buffers import Place
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.operands import Operand, plain
from tinyml_rules.ops._shared.operator import Meaning, Op, Role

TYPES = (DType.INT8, DType.INT32, DType.INT64, DType.FLOAT32)
"""Those of TFLM."""


OPERANDS = {
    "input": plain(*TYPES, may_be_variable=True),
    "output": Operand(type_of="input", scaled=(DType.INT8,), centred=(DType.INT8,), shape="input"),
}
"""TFLM writes the number 0, which means 0 only where the zero point is 0."""


def layout(view: NodeView) -> tuple[Place]:
    """Of a tensor that is too large to be a constant."""
    result = view.output
    zero = np.zeros(1, result.dtype.numpy)
    return (Place(result.index, (result.count,), (0,), (1,), values=zero),)


def oracle(view: NodeView, _values: Mapping[int, Array]) -> Array:
    """numpy's own."""
    return np.zeros(view["input"].shape, view.output.dtype.numpy)


OP = Op(
    name="zeros_like",
    builtin_code=93,
    options_type=67,
    inputs=("input",),
    summary="int8 with zero point 0, int32, int64, float32; a constant",
    role=Role.LAYOUT,
    layout=layout,
    reads_shapes_alone=True,
    meanings=(Meaning(operands=OPERANDS, oracle=oracle),),
)
