"""PAD: cells around a tensor that mean 0."""

from tinyml_rules.ops._shared.border import BORDER, channels, check_border
from tinyml_rules.ops._shared.operator import Meaning, Op, Role
from tinyml_rules.ops._shared.quantization import MOVES
from tinyml_rules.ops.pad.op import border, layout, oracle

OP = Op(
    name="pad",
    builtin_code=34,
    options_type=22,
    inputs=("input", "paddings"),
    summary="any type; constant paddings; free before a convolution that pads instead",
    role=Role.LAYOUT,
    channels=channels,
    layout=layout,
    border=border,
    meanings=(Meaning(operands=BORDER, check=check_border, oracle=oracle),),
    quantization=MOVES,
)
