"""PACK: tensors of one shape one behind the other along a new axis."""

from tinyml_rules.ops._shared.operator import Meaning, Op, Role
from tinyml_rules.ops._shared.quantization import MOVES
from tinyml_rules.ops._shared.stacking import StackAttrs
from tinyml_rules.ops.pack.op import OPERANDS, check, layout, oracle

OP = Op(
    name="pack",
    builtin_code=83,
    options_type=59,
    attrs=StackAttrs,
    inputs=("input+",),
    summary="any type; any axis; along the outermost one free",
    role=Role.LAYOUT,
    layout=layout,
    meanings=(Meaning(operands=OPERANDS, check=check, oracle=oracle),),
    quantization=MOVES,
)
