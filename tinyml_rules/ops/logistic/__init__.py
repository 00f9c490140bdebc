"""LOGISTIC: 1 / (1 + exp(-x)), always as a table."""

from tinyml_rules.ops._shared.operator import Meaning
from tinyml_rules.ops._shared.quantization import fixed
from tinyml_rules.ops._shared.real_maps import ISLAND, map_op, real_map
from tinyml_rules.ops.logistic.op import check
from tinyml_rules.ops.logistic.oracle import oracle, oracle_of_reals

OP = map_op(
    "logistic",
    14,
    real_map(oracle_of_reals),
    Meaning(check=check, oracle=oracle),
    summary=f"int8, output scale 1/256 and zero point -128; {ISLAND}",
    quantization=fixed(1 / 256, -128),
)
