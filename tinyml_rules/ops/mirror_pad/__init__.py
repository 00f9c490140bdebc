"""MIRROR_PAD: cells around a tensor that are its own, as in a mirror."""

from tinyml_rules.ops._shared.operator import Meaning, Op, Role
from tinyml_rules.ops._shared.quantization import MOVES
from tinyml_rules.ops.mirror_pad.op import Attrs, check, layout, oracle

OP = Op(
    name="mirror_pad",
    builtin_code=100,
    options_type=77,
    attrs=Attrs,
    input_counts=range(2, 3),
    summary="any type; constant paddings; REFLECT and SYMMETRIC",
    role=Role.LAYOUT,
    layout=layout,
    meanings=(Meaning(check=check, oracle=oracle),),
    quantization=MOVES,
)
