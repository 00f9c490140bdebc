"""SPLIT: a tensor cut into equal parts along an axis."""

from tinyml_rules.ops._shared.operator import MANY, Meaning, Op, Role
from tinyml_rules.ops._shared.quantization import MOVES
from tinyml_rules.ops.split.op import Attrs, check, layout, oracle

OP = Op(
    name="split",
    builtin_code=49,
    options_type=35,
    attrs=Attrs,
    input_counts=range(2, 3),
    output_counts=MANY,
    summary="any type; any axis, a constant; along the outermost one free",
    role=Role.LAYOUT,
    layout=layout,
    meanings=(Meaning(check=check, oracle=oracle),),
    quantization=MOVES,
)
