"""SPACE_TO_BATCH_ND: every n-th row and column as images of their own."""

from tinyml_rules.ops._shared.blocks import blocks_of
from tinyml_rules.ops._shared.operator import Meaning, Op, Role
from tinyml_rules.ops._shared.quantization import MOVES
from tinyml_rules.ops.space_to_batch_nd.op import OPERANDS, check, layout, oracle

OP = Op(
    name="space_to_batch_nd",
    builtin_code=38,
    options_type=25,
    inputs=("input", "block shape", "paddings"),
    summary="any type; 3 or 4 dimensions; constant blocks and paddings",
    role=Role.LAYOUT,
    layout=layout,
    cut=blocks_of,
    meanings=(Meaning(operands=OPERANDS, check=check, oracle=oracle),),
    quantization=MOVES,
)
