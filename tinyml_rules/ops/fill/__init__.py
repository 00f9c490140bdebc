"""FILL: one value in every place of a tensor."""

from tinyml_rules.ops._shared.operator import Meaning, Op, Role
from tinyml_rules.ops._shared.quantization import MOVES
from tinyml_rules.ops.fill.op import check, layout, oracle

OP = Op(
    name="fill",
    builtin_code=94,
    options_type=68,
    input_counts=range(2, 3),
    summary="any type; constant dimensions; a constant where the value is one",
    role=Role.LAYOUT,
    layout=layout,
    meanings=(Meaning(check=check, oracle=oracle),),
    quantization=MOVES,
)
