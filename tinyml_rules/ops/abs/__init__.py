"""ABS: the value without its sign."""

from tinyml_rules.ops._shared.operator import Meaning
from tinyml_rules.ops._shared.pointwise import INT8_MAP, check_factor
from tinyml_rules.ops._shared.quantization import FREE
from tinyml_rules.ops._shared.real_maps import ISLAND, map_op, real_map
from tinyml_rules.ops.abs.oracle import oracle, oracle_of_reals

OP = map_op(
    "abs",
    101,
    real_map(oracle_of_reals),
    Meaning(operands=INT8_MAP, check=check_factor, oracle=oracle),
    summary=f"int8, input and output may be quantized differently; {ISLAND}",
    options_type=78,
    quantization=FREE,
)
