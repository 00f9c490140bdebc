"""GATHER_ND: what lies at the places that tuples of indices tell."""

from tinyml_rules.ops._shared.gathering import meanings
from tinyml_rules.ops._shared.operator import Op
from tinyml_rules.ops._shared.quantization import MOVES_FIRST_VERSION
from tinyml_rules.ops.gather_nd.op import OPERANDS, check, gathering, layout, oracle

OP = Op(
    name="gather_nd",
    builtin_code=107,
    options_type=83,
    inputs=("input", "indices"),
    summary="any type; up to 5 int32 indices a place, constant or computed and then kept inside",
    layout=layout,
    meanings=meanings(OPERANDS, check, oracle, gathering),
    quantization=MOVES_FIRST_VERSION,
)
