"""TRANSPOSE: the dimensions in another order."""

from tinyml_rules.ops._shared.operator import Meaning, Op, Role
from tinyml_rules.ops._shared.quantization import MOVES
from tinyml_rules.ops.transpose.op import OPERANDS, check, layout, oracle

OP = Op(
    name="transpose",
    builtin_code=39,
    options_type=26,
    inputs=("input", "order"),
    summary="any type; any order of the axes, a constant; free if only axes of 1 move",
    role=Role.LAYOUT,
    layout=layout,
    meanings=(Meaning(operands=OPERANDS, check=check, oracle=oracle),),
    quantization=MOVES,
)
