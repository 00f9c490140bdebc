"""DENSIFY: a constant of which the file has the values that are not 0, as a whole tensor.

The reader has put the zeros there already, so that the compiler takes the values as they are.
"""

from __future__ import annotations

from collections.abc import Mapping

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.operands import MOVABLE, alike, plain
from tinyml_rules.ops._shared.operator import Meaning, Op
from tinyml_rules.ops._shared.quantization import MOVES

OPERANDS = {
    "input": plain(*MOVABLE, DType.FLOAT16, is_constant=True),
    "output": alike("input", shape="input"),
}


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor."""
    return values[view["input"].index]


OP = Op(
    name="densify",
    builtin_code=124,
    options_type=99,
    inputs=("input",),
    summary="any type, float16 too; a constant",
    meanings=(Meaning(operands=OPERANDS, oracle=oracle),),
    quantization=MOVES,
)
