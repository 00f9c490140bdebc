"""TANH: the hyperbolic tangent, always as a table."""

from tinyml_rules.ops._shared.operator import Meaning
from tinyml_rules.ops._shared.quantization import fixed
from tinyml_rules.ops._shared.real_maps import ISLAND, map_op, real_map
from tinyml_rules.ops.tanh.op import check
from tinyml_rules.ops.tanh.oracle import oracle, oracle_of_reals

OP = map_op(
    "tanh",
    28,
    real_map(oracle_of_reals),
    Meaning(check=check, oracle=oracle),
    summary=f"int8, output scale 1/128 and zero point 0; {ISLAND}",
    quantization=fixed(1 / 128, 0),
)
