"""ZEROS_LIKE: zeros in the shape of another tensor, which are known when a model is compiled."""

from tinyml_rules.ops._shared.operator import Meaning, Op, Role
from tinyml_rules.ops.zeros_like.op import OPERANDS, layout, oracle

OP = Op(
    name="zeros_like",
    builtin_code=93,
    options_type=67,
    inputs=("input",),
    summary="int8 with zero point 0, int32, int64, float32; a constant",
    role=Role.LAYOUT,
    layout=layout,
    reads_shapes_alone=True,
    meanings=(Meaning(operands=OPERANDS, oracle=oracle),),
)
