"""SPLIT: a tensor cut into equal parts along an axis."""

from tinyml_rules.ops._shared.operator import Meaning, Op, Role
from tinyml_rules.ops._shared.quantization import MOVES
from tinyml_rules.ops.split.op import OPERANDS, Attrs, check, check_options, layout, oracle

OP = Op(
    name="split",
    builtin_code=49,
    options_type=35,
    attrs=Attrs,
    inputs=("axis", "input"),
    outputs=("output+",),
    options=check_options,
    summary="any type; any axis, a constant; along the outermost one free",
    role=Role.LAYOUT,
    layout=layout,
    meanings=(Meaning(operands=OPERANDS, check=check, oracle=oracle),),
    quantization=MOVES,
)
