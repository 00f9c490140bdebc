"""REVERSE_V2: the elements along axes in reverse."""

from tinyml_rules.ops._shared.operator import Meaning, Op, Role
from tinyml_rules.ops._shared.quantization import MOVES_FIRST_VERSION
from tinyml_rules.ops.reverse_v2.op import OPERANDS, check, layout, oracle

OP = Op(
    name="reverse_v2",
    builtin_code=105,
    options_type=81,
    inputs=("input", "axis"),
    summary="any type; any axes, constants",
    role=Role.LAYOUT,
    layout=layout,
    meanings=(Meaning(operands=OPERANDS, check=check, oracle=oracle),),
    quantization=MOVES_FIRST_VERSION,
)
