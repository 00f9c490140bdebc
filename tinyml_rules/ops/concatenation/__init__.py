"""CONCATENATION: tensors one behind the other along an axis."""

from tinyml_rules.ops._shared.operator import Meaning, Op, Role
from tinyml_rules.ops._shared.quantization import MOVES
from tinyml_rules.ops.concatenation.op import OPERANDS, Attrs, check, check_options, layout, oracle

OP = Op(
    name="concatenation",
    builtin_code=2,
    options_type=10,
    attrs=Attrs,
    inputs=("input+",),
    options=check_options,
    summary="any type; any axis; along the outermost one free; no fused activation",
    role=Role.LAYOUT,
    layout=layout,
    meanings=(Meaning(operands=OPERANDS, check=check, oracle=oracle),),
    quantization=MOVES,
)
