"""RELU_N1_TO_1: min(max(x, -1), 1), between tensors that may be quantized differently; LiteRT's."""

from tinyml_rules.arithmetic.fixed_point import Activation
from tinyml_rules.ops._shared.bounded import check_bounded
from tinyml_rules.ops._shared.operator import Meaning
from tinyml_rules.ops._shared.pointwise import INT8_MAP
from tinyml_rules.ops._shared.quantization import QuantizationRule
from tinyml_rules.ops._shared.real_maps import map_op, real_kernel, real_map
from tinyml_rules.ops.relu_n1_to_1.oracle import oracle, oracle_of_reals

OP = map_op(
    "relu_n1_to_1",
    20,
    real_kernel(
        real_map(oracle_of_reals),
        "relu_n1_to_1",
        "value < -1.0f ? -1.0f : value > 1.0f ? 1.0f : value",
    ),
    Meaning(operands=INT8_MAP, check=check_bounded, oracle=oracle),
    summary="int8, input and output may be quantized differently; float32",
    quantization=QuantizationRule(clamp=Activation.RELU_N1_TO_1),
)
