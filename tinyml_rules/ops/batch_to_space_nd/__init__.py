"""BATCH_TO_SPACE_ND: images as every n-th row and column of one."""

from tinyml_rules.ops._shared.blocks import blocks_of
from tinyml_rules.ops._shared.operator import Meaning, Op, Role
from tinyml_rules.ops._shared.quantization import MOVES
from tinyml_rules.ops.batch_to_space_nd.op import OPERANDS, check, layout, oracle

OP = Op(
    name="batch_to_space_nd",
    builtin_code=37,
    options_type=24,
    inputs=("input", "block shape", "crops"),
    summary="any type; 3 or 4 dimensions; constant blocks and crops",
    role=Role.LAYOUT,
    layout=layout,
    joined=blocks_of,
    meanings=(Meaning(operands=OPERANDS, check=check, oracle=oracle),),
    quantization=MOVES,
)
