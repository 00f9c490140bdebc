"""UNPACK: what lies along an axis, each as a tensor without it."""

from tinyml_rules.ops._shared.operator import Meaning, Op, Role
from tinyml_rules.ops._shared.quantization import MOVES
from tinyml_rules.ops._shared.stacking import StackAttrs
from tinyml_rules.ops.unpack.op import OPERANDS, check, layout, oracle

OP = Op(
    name="unpack",
    builtin_code=88,
    options_type=64,
    attrs=StackAttrs,
    inputs=("input",),
    outputs=("output+",),
    summary="any type; any axis; along the outermost one free",
    role=Role.LAYOUT,
    layout=layout,
    meanings=(Meaning(operands=OPERANDS, check=check, oracle=oracle),),
    quantization=MOVES,
)
