"""PADV2: cells of any value around a tensor."""

from tinyml_rules.ops._shared.border import channels
from tinyml_rules.ops._shared.operator import Meaning, Op, Role
from tinyml_rules.ops._shared.quantization import MOVES
from tinyml_rules.ops.padv2.op import border, check, layout, oracle

OP = Op(
    name="padv2",
    builtin_code=60,
    options_type=43,
    input_counts=range(3, 4),
    summary="any type; constant paddings; the value constant or computed",
    role=Role.LAYOUT,
    channels=channels,
    layout=layout,
    border=border,
    meanings=(Meaning(check=check, oracle=oracle),),
    quantization=MOVES,
)
