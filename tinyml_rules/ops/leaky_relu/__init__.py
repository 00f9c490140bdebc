"""LEAKY_RELU: x, or alpha times x below 0."""

from tinyml_rules.ops._shared.operator import Meaning
from tinyml_rules.ops._shared.pointwise import INT8_MAP
from tinyml_rules.ops._shared.quantization import FREE
from tinyml_rules.ops._shared.real_maps import map_op, real_kernel, real_map
from tinyml_rules.ops.leaky_relu.op import Attrs, check, real_params
from tinyml_rules.ops.leaky_relu.oracle import oracle, oracle_of_reals

OP = map_op(
    "leaky_relu",
    98,
    real_kernel(
        real_map(oracle_of_reals),
        "leaky_relu",
        "value > 0.0f ? value : value * params->alpha",
        params_of=real_params,
    ),
    Meaning(operands=INT8_MAP, check=check, oracle=oracle),
    summary="int8, input and output may be quantized differently; float32",
    options_type=75,
    attrs=Attrs,
    quantization=FREE,
)
