"""EXP: e to the x; LiteRT has int8."""

from tinyml_rules.ops._shared.operator import Meaning
from tinyml_rules.ops._shared.pointwise import INT8_MAP
from tinyml_rules.ops._shared.quantization import FREE
from tinyml_rules.ops._shared.real_maps import ISLAND, map_op, real_map
from tinyml_rules.ops.exp.oracle import oracle, oracle_of_reals

OP = map_op(
    "exp",
    47,
    real_map(oracle_of_reals),
    Meaning(operands=INT8_MAP, oracle=oracle),
    summary=f"int8; {ISLAND}",
    options_type=33,
    quantization=FREE,
)
