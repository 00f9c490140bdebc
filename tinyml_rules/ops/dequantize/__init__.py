"""DEQUANTIZE: int8 to real numbers at the model's end; cut off and left to the caller."""

from tinyml_rules.ops._shared.operator import Meaning, Op
from tinyml_rules.ops.dequantize.op import check, oracle, prepare

OP = Op(
    name="dequantize",
    builtin_code=6,
    options_type=38,
    input_counts=range(1, 2),
    summary="int8 to float32 at a model output (becomes the caller's)",
    meanings=(
        Meaning(
            check=check,
            oracle=oracle,
            prepare=prepare,
            kernels=(),
        ),
    ),
)
