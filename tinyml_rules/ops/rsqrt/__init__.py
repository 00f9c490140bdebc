"""RSQRT: 1 / sqrt(x)."""

from tinyml_rules.ops._shared.operator import Meaning
from tinyml_rules.ops._shared.pointwise import INT8_MAP
from tinyml_rules.ops._shared.quantization import FREE
from tinyml_rules.ops._shared.real_maps import ISLAND, map_op, real_map
from tinyml_rules.ops.rsqrt.op import check
from tinyml_rules.ops.rsqrt.oracle import oracle, oracle_of_reals

OP = map_op(
    "rsqrt",
    76,
    real_map(oracle_of_reals),
    Meaning(operands=INT8_MAP, check=check, oracle=oracle),
    summary=f"int8, the greatest value for 0 and below; {ISLAND}",
    quantization=FREE,
)
