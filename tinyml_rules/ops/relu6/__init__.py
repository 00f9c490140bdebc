"""RELU6: min(max(x, 0), 6), a mere clamp where input and output are quantized alike.

Where they are not, TFLM does not rescale; the 8-bit specification and LiteRT do, and so does this.
"""

from pathlib import Path

from tinyml_rules.arithmetic.fixed_point import Activation
from tinyml_rules.ir.program import Form, Kernel
from tinyml_rules.ops._shared.bounded import check_bounded
from tinyml_rules.ops._shared.operator import Meaning
from tinyml_rules.ops._shared.pointwise import INT8_MAP, map_work
from tinyml_rules.ops._shared.quantization import QuantizationRule, Relation
from tinyml_rules.ops._shared.real_maps import map_op, real_kernel, real_map
from tinyml_rules.ops.relu6.op import is_quantized_alike, params_of
from tinyml_rules.ops.relu6.oracle import oracle, oracle_of_reals

OP = map_op(
    "relu6",
    21,
    real_kernel(
        real_map(oracle_of_reals),
        "relu6",
        "value < 0.0f ? 0.0f : value > 6.0f ? 6.0f : value",
    ),
    Meaning(
        takes=is_quantized_alike,
        operands=INT8_MAP,
        check=check_bounded,
        oracle=oracle,
        prepare=lambda view: map_work(view, params_of(view)),
        kernels=(
            Kernel(
                name="relu6",
                template=Path(__file__).parent / "kernels" / "portable.c.j2",
                form=Form.POINTWISE,
                is_in_place=True,
            ),
        ),
    ),
    Meaning(operands=INT8_MAP, check=check_bounded, oracle=oracle),
    summary="int8, input and output may be quantized differently; float32",
    quantization=QuantizationRule(Relation.SAME, clamp=Activation.RELU6),
)
