"""TILE: a tensor several times along each dimension."""

from tinyml_rules.ops._shared.operator import Meaning, Op, Role
from tinyml_rules.ops._shared.quantization import MOVES
from tinyml_rules.ops.tile.op import OPERANDS, layout, oracle

OP = Op(
    name="tile",
    builtin_code=69,
    options_type=51,
    inputs=("input", "multiples"),
    summary="any type; constant multiples",
    role=Role.LAYOUT,
    layout=layout,
    meanings=(Meaning(operands=OPERANDS, oracle=oracle),),
    quantization=MOVES,
)
