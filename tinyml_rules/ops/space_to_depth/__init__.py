"""SPACE_TO_DEPTH: blocks of an image as the channels of one pixel."""

from tinyml_rules.ops._shared.depth import DEPTH, BlockAttrs, check_options
from tinyml_rules.ops._shared.operator import Meaning, Op, Role
from tinyml_rules.ops._shared.quantization import MOVES
from tinyml_rules.ops.space_to_depth.op import check, layout, oracle

OP = Op(
    name="space_to_depth",
    builtin_code=26,
    options_type=19,
    attrs=BlockAttrs,
    inputs=("input",),
    options=check_options,
    summary="any type; 4 dimensions",
    role=Role.LAYOUT,
    layout=layout,
    meanings=(Meaning(operands=DEPTH, check=check, oracle=oracle),),
    quantization=MOVES,
)
