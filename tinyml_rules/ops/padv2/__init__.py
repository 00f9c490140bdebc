"""PADV2: cells of any value around a tensor."""

from tinyml_rules.ops._shared.border import channels, check_border
from tinyml_rules.ops._shared.operator import Meaning, Op, Role
from tinyml_rules.ops._shared.quantization import MOVES
from tinyml_rules.ops.padv2.op import OPERANDS, border, layout, oracle

OP = Op(
    name="padv2",
    builtin_code=60,
    options_type=43,
    inputs=("input", "paddings", "value"),
    summary="any type; constant paddings; the value constant or computed",
    role=Role.LAYOUT,
    channels=channels,
    layout=layout,
    border=border,
    meanings=(Meaning(operands=OPERANDS, check=check_border, oracle=oracle),),
    quantization=MOVES,
)
