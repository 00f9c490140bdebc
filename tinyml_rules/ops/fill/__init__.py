"""FILL: one value in every place of a tensor."""

from tinyml_rules.ops._shared.operator import Meaning, Op, Role
from tinyml_rules.ops._shared.quantization import MOVES
from tinyml_rules.ops.fill.op import OPERANDS, layout, oracle

OP = Op(
    name="fill",
    builtin_code=94,
    options_type=68,
    inputs=("dimensions", "value"),
    summary="any type; constant dimensions; a constant where the value is one",
    role=Role.LAYOUT,
    layout=layout,
    meanings=(Meaning(operands=OPERANDS, oracle=oracle),),
    quantization=MOVES,
)
