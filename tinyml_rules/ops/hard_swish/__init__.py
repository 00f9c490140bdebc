"""HARD_SWISH: x * min(max(x + 3, 0), 6) / 6."""

from tinyml_rules.ops._shared.operator import Meaning
from tinyml_rules.ops._shared.pointwise import INT8_MAP
from tinyml_rules.ops._shared.quantization import QuantizationRule
from tinyml_rules.ops._shared.real_maps import map_op, real_kernel, real_map
from tinyml_rules.ops.hard_swish.op import check
from tinyml_rules.ops.hard_swish.oracle import oracle, oracle_of_reals

OP = map_op(
    "hard_swish",
    117,
    real_kernel(
        real_map(oracle_of_reals),
        "hard_swish",
        "value * (value + 3.0f < 0.0f ? 0.0f : value + 3.0f > 6.0f ? 6.0f : value + 3.0f) / 6.0f",
    ),
    Meaning(operands=INT8_MAP, check=check, oracle=oracle),
    summary="int8, the input's scale below 128 of the output's; float32",
    options_type=91,
    quantization=QuantizationRule(version=1),
)
