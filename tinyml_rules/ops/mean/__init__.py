"""MEAN: the mean of the values along some axes."""

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ops._shared import quantized_sums
from tinyml_rules.ops._shared.operator import Op
from tinyml_rules.ops._shared.plain_reduction import meanings
from tinyml_rules.ops._shared.quantization import FREE
from tinyml_rules.ops._shared.reduction import Attrs, channels
from tinyml_rules.ops.mean.op import multiplier_of, plain_totals
from tinyml_rules.ops.mean.oracle import oracle, oracle_of_plain

OP = Op(
    name="mean",
    builtin_code=40,
    options_type=27,
    attrs=Attrs,
    inputs=("input", "axis"),
    summary="int8, uint8, int32, int64, float32; any axes, constants; keep_dims",
    channels=channels,
    meanings=(
        *quantized_sums.meanings("mean", multiplier_of, oracle),
        *meanings("mean", plain_totals, oracle_of_plain, (DType.INT32, DType.INT64, DType.FLOAT32)),
    ),
    quantization=FREE,
)
