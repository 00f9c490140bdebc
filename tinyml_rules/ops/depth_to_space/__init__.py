"""DEPTH_TO_SPACE: the channels of a pixel as a block of an image."""

from tinyml_rules.ops._shared.depth import DEPTH, BlockAttrs, check_options
from tinyml_rules.ops._shared.operator import Meaning, Op, Role
from tinyml_rules.ops._shared.quantization import MOVES_FIRST_VERSION
from tinyml_rules.ops.depth_to_space.op import check, layout, oracle

OP = Op(
    name="depth_to_space",
    builtin_code=5,
    options_type=94,
    attrs=BlockAttrs,
    inputs=("input",),
    options=check_options,
    summary="any type; 4 dimensions",
    role=Role.LAYOUT,
    layout=layout,
    meanings=(Meaning(operands=DEPTH, check=check, oracle=oracle),),
    quantization=MOVES_FIRST_VERSION,
)
