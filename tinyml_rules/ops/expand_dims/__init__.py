"""EXPAND_DIMS: the same bytes with one more dimension of 1."""

from tinyml_rules.ops._shared.operator import Meaning, Op, Role
from tinyml_rules.ops._shared.quantization import MOVES_FIRST_VERSION
from tinyml_rules.ops._shared.views import layout
from tinyml_rules.ops.expand_dims.op import OPERANDS, check, oracle

OP = Op(
    name="expand_dims",
    builtin_code=70,
    options_type=52,
    inputs=("input", "axis"),
    summary="any type; any axis, a constant; free",
    role=Role.LAYOUT,
    layout=layout,
    meanings=(Meaning(operands=OPERANDS, check=check, oracle=oracle),),
    quantization=MOVES_FIRST_VERSION,
)
