"""SPLIT_V: a tensor cut into parts along an axis, each as long as it is told."""

from tinyml_rules.ops._shared.operator import Meaning, Op, Role
from tinyml_rules.ops._shared.quantization import MOVES
from tinyml_rules.ops.split_v.op import OPERANDS, Attrs, check, check_options, layout, oracle

OP = Op(
    name="split_v",
    builtin_code=102,
    options_type=79,
    attrs=Attrs,
    inputs=("input", "sizes", "axis"),
    outputs=("output+",),
    options=check_options,
    summary="any type; any axis; constant sizes; along the outermost one free",
    role=Role.LAYOUT,
    layout=layout,
    meanings=(Meaning(operands=OPERANDS, check=check, oracle=oracle),),
    quantization=MOVES,
)
