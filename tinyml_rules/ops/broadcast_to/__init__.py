"""BROADCAST_TO: elements repeated along dimensions of 1."""

from tinyml_rules.ops._shared.operator import Meaning, Op, Role
from tinyml_rules.ops._shared.quantization import MOVES
from tinyml_rules.ops.broadcast_to.op import OPERANDS, check, layout, oracle

OP = Op(
    name="broadcast_to",
    builtin_code=130,
    options_type=104,
    inputs=("input", "shape"),
    summary="any type; constant shape",
    role=Role.LAYOUT,
    layout=layout,
    meanings=(Meaning(operands=OPERANDS, check=check, oracle=oracle),),
    quantization=MOVES,
)
