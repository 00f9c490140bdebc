"""SLICE: a block of a tensor."""

from tinyml_rules.ops._shared.operator import Meaning, Op, Role
from tinyml_rules.ops._shared.quantization import MOVES
from tinyml_rules.ops.slice.op import OPERANDS, check, layout, oracle

OP = Op(
    name="slice",
    builtin_code=65,
    options_type=48,
    inputs=("input", "begin", "size"),
    summary="any type; constant sizes; begins constant, or computed and then kept inside; "
    "of the outermost dimension free",
    role=Role.LAYOUT,
    layout=layout,
    meanings=(Meaning(operands=OPERANDS, check=check, oracle=oracle),),
    quantization=MOVES,
)
