"""HARD_SWISH: x * min(max(x + 3, 0), 6) / 6."""

from tinyml_rules.ops._shared.operator import Meaning
from tinyml_rules.ops._shared.quantization import QuantizationRule
from tinyml_rules.ops._shared.real_maps import ISLAND, map_op, real_map
from tinyml_rules.ops.hard_swish.op import check
from tinyml_rules.ops.hard_swish.oracle import oracle, oracle_of_reals

OP = map_op(
    "hard_swish",
    117,
    real_map(oracle_of_reals),
    Meaning(check=check, oracle=oracle),
    summary=f"int8, the input's scale below 128 of the output's; {ISLAND}",
    options_type=91,
    quantization=QuantizationRule(version=1),
)
