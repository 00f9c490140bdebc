"""SUM: the sum of the values along some axes."""

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ops._shared import quantized_sums
from tinyml_rules.ops._shared.operator import Op
from tinyml_rules.ops._shared.plain_reduction import joined, meanings
from tinyml_rules.ops._shared.quantization import FREE
from tinyml_rules.ops._shared.reduction import Attrs, channels
from tinyml_rules.ops.sum.op import multiplier_of, not_of_litert
from tinyml_rules.ops.sum.oracle import oracle, oracle_of_plain

OP = Op(
    name="sum",
    builtin_code=74,
    options_type=27,
    attrs=Attrs,
    inputs=("input", "axis"),
    summary="int8, uint8, int32, int64, float32; any axes, constants; keep_dims",
    channels=channels,
    meanings=(
        *map(not_of_litert, quantized_sums.meanings("sum", multiplier_of, oracle)),
        *meanings(
            "sum",
            lambda dtype: joined(dtype, "+", start="0"),
            oracle_of_plain,
            (DType.INT32, DType.INT64, DType.FLOAT32),
        ),
    ),
    quantization=FREE,
)
