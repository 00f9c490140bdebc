"""LOG: the natural logarithm; LiteRT has int8."""

from tinyml_rules.ops._shared.operator import Meaning
from tinyml_rules.ops._shared.pointwise import INT8_MAP
from tinyml_rules.ops._shared.quantization import FREE
from tinyml_rules.ops._shared.real_maps import ISLAND, map_op, real_map
from tinyml_rules.ops.log.oracle import oracle, oracle_of_reals

OP = map_op(
    "log",
    73,
    real_map(oracle_of_reals),
    Meaning(operands=INT8_MAP, oracle=oracle),
    summary=f"int8, the least value for 0 and below; {ISLAND}",
    quantization=FREE,
)
