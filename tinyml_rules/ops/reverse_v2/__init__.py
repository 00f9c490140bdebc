"""REVERSE_V2: the elements along axes in reverse."""

from tinyml_rules.ops._shared.operator import Meaning, Op, Role
from tinyml_rules.ops._shared.quantization import MOVES_FIRST_VERSION
from tinyml_rules.ops.reverse_v2.op import check, layout, oracle

OP = Op(
    name="reverse_v2",
    builtin_code=105,
    options_type=81,
    input_counts=range(2, 3),
    summary="any type; any axes, constants",
    role=Role.LAYOUT,
    layout=layout,
    meanings=(Meaning(check=check, oracle=oracle),),
    quantization=MOVES_FIRST_VERSION,
)
