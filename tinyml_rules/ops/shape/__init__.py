"""SHAPE: the dimensions of a tensor.  No kernel: always folded."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.operands import Operand, plain, rank_of
from tinyml_rules.ops._shared.operator import Meaning, Op
from tinyml_rules.ops._shared.quantization import QuantizationRule

OPERANDS = {
    "input": Operand(may_be_variable=True),
    "output": plain(DType.INT32, DType.INT64, shape=rank_of("input")),
}


def oracle(view: NodeView, _values: Mapping[int, Array]) -> Array:
    """The dimensions of the input."""
    return np.array(view["input"].shape, view.output.dtype.numpy)


OP = Op(
    name="shape",
    builtin_code=77,
    options_type=55,
    inputs=("input",),
    summary="of a tensor of any type, as int32 or int64; a constant",
    reads_shapes_alone=True,
    meanings=(Meaning(operands=OPERANDS, oracle=oracle),),
    quantization=QuantizationRule(version=1),
)
