"""LEAKY_RELU: x, or alpha times x below 0."""

from tinyml_rules.ops._shared.operator import Meaning
from tinyml_rules.ops._shared.quantization import FREE
from tinyml_rules.ops._shared.real_maps import ISLAND, map_op, real_map
from tinyml_rules.ops.leaky_relu.op import Attrs, check
from tinyml_rules.ops.leaky_relu.oracle import oracle, oracle_of_reals

OP = map_op(
    "leaky_relu",
    98,
    real_map(oracle_of_reals),
    Meaning(check=check, oracle=oracle),
    summary=f"int8, input and output may be quantized differently; {ISLAND}",
    options_type=75,
    attrs=Attrs,
    quantization=FREE,
)
