"""DYNAMIC_UPDATE_SLICE: a tensor with a block of it replaced."""

from tinyml_rules.ops._shared.operator import Meaning, Op, Role
from tinyml_rules.ops._shared.quantization import MOVES_FIRST_VERSION
from tinyml_rules.ops.dynamic_update_slice.op import OPERANDS, check, layout, oracle

OP = Op(
    name="dynamic_update_slice",
    builtin_code=151,
    options_type=117,
    inputs=("input", "update", "begin"),
    summary="any type; the begins int32 or int64, constant or computed, are kept inside",
    role=Role.LAYOUT,
    layout=layout,
    meanings=(Meaning(operands=OPERANDS, check=check, oracle=oracle),),
    quantization=MOVES_FIRST_VERSION,
)
