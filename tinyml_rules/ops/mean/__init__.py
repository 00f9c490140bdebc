"""MEAN: the mean of the values along some axes."""

from tinyml_rules.ops._shared.operator import Meaning, Op
from tinyml_rules.ops._shared.reduction import Attrs, check, kernel, preparing
from tinyml_rules.ops.mean.op import multiplier_of
from tinyml_rules.ops.mean.oracle import oracle

OP = Op(
    name="mean",
    builtin_code=40,
    options_type=27,
    attrs=Attrs,
    input_counts=range(2, 3),
    summary="int8; any axes, constants; keep_dims",
    meanings=(Meaning(check, oracle, preparing(multiplier_of), kernels=(kernel("mean"),)),),
)
