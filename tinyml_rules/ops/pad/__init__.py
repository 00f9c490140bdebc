"""PAD: cells around a tensor that mean 0."""

from tinyml_rules.ops._shared.border import channels, check_border
from tinyml_rules.ops._shared.operator import Meaning, Op, Role
from tinyml_rules.ops._shared.quantization import MOVES
from tinyml_rules.ops.pad.op import border, layout, oracle

OP = Op(
    name="pad",
    builtin_code=34,
    options_type=22,
    input_counts=range(2, 3),
    summary="any type; constant paddings; free before a convolution that pads instead",
    role=Role.LAYOUT,
    channels=channels,
    layout=layout,
    border=border,
    meanings=(Meaning(check=check_border, oracle=oracle),),
    quantization=MOVES,
)
