"""SQRT: the square root; LiteRT has int8."""

from tinyml_rules.ops._shared.operator import Meaning
from tinyml_rules.ops._shared.pointwise import INT8_MAP
from tinyml_rules.ops._shared.quantization import FREE
from tinyml_rules.ops._shared.real_maps import ISLAND, map_op, real_map
from tinyml_rules.ops.sqrt.oracle import oracle, oracle_of_reals

OP = map_op(
    "sqrt",
    75,
    real_map(oracle_of_reals),
    Meaning(operands=INT8_MAP, oracle=oracle),
    summary=f"int8, 0 for numbers below 0; {ISLAND}",
    quantization=FREE,
)
