"""PACK: tensors of one shape one behind the other along a new axis."""

from tinyml_rules.ops._shared.operator import MANY, Meaning, Op, Role
from tinyml_rules.ops._shared.quantization import MOVES
from tinyml_rules.ops._shared.stacking import StackAttrs
from tinyml_rules.ops.pack.op import check, layout, oracle

OP = Op(
    name="pack",
    builtin_code=83,
    options_type=59,
    attrs=StackAttrs,
    input_counts=MANY,
    summary="any type; any axis; along the outermost one free",
    role=Role.LAYOUT,
    layout=layout,
    meanings=(Meaning(check=check, oracle=oracle),),
    quantization=MOVES,
)
