"""CONCATENATION: tensors one behind the other along an axis."""

from tinyml_rules.ops._shared.operator import MANY, Meaning, Op, Role
from tinyml_rules.ops._shared.quantization import MOVES
from tinyml_rules.ops.concatenation.op import Attrs, check, layout, oracle

OP = Op(
    name="concatenation",
    builtin_code=2,
    options_type=10,
    attrs=Attrs,
    input_counts=MANY,
    summary="any type; any axis; along the outermost one free; no fused activation",
    role=Role.LAYOUT,
    layout=layout,
    meanings=(Meaning(check=check, oracle=oracle),),
    quantization=MOVES,
)
