"""ELU: x, or exp(x) - 1 below 0."""

from tinyml_rules.ops._shared.operator import Meaning
from tinyml_rules.ops._shared.pointwise import INT8_MAP
from tinyml_rules.ops._shared.quantization import QuantizationRule
from tinyml_rules.ops._shared.real_maps import ISLAND, map_op, real_map
from tinyml_rules.ops.elu.oracle import oracle, oracle_of_reals

OP = map_op(
    "elu",
    111,
    real_map(oracle_of_reals),
    Meaning(operands=INT8_MAP, oracle=oracle),
    summary=f"int8; {ISLAND}",
    quantization=QuantizationRule(version=1),
)
