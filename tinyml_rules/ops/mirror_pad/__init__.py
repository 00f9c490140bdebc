"""MIRROR_PAD: cells around a tensor that are its own, as in a mirror."""

from tinyml_rules.ops._shared.border import BORDER
from tinyml_rules.ops._shared.operator import Meaning, Op, Role
from tinyml_rules.ops._shared.quantization import MOVES
from tinyml_rules.ops.mirror_pad.op import Attrs, check, check_options, layout, oracle

OP = Op(
    name="mirror_pad",
    builtin_code=100,
    options_type=77,
    attrs=Attrs,
    inputs=("input", "paddings"),
    options=check_options,
    summary="any type; constant paddings; REFLECT and SYMMETRIC",
    role=Role.LAYOUT,
    layout=layout,
    meanings=(Meaning(operands=BORDER, check=check, oracle=oracle),),
    quantization=MOVES,
)
