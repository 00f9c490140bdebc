"""SPACE_TO_DEPTH: blocks of an image as the channels of one pixel."""

from tinyml_rules.ops._shared.depth import BlockAttrs
from tinyml_rules.ops._shared.operator import Meaning, Op, Role
from tinyml_rules.ops._shared.quantization import MOVES
from tinyml_rules.ops.space_to_depth.op import check, layout, oracle

OP = Op(
    name="space_to_depth",
    builtin_code=26,
    options_type=19,
    attrs=BlockAttrs,
    input_counts=range(1, 2),
    summary="any type; 4 dimensions",
    role=Role.LAYOUT,
    layout=layout,
    meanings=(Meaning(check=check, oracle=oracle),),
    quantization=MOVES,
)
