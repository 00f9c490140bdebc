"""REDUCE_ANY: whether any value along some axes is true."""

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ops._shared.operator import Op
from tinyml_rules.ops._shared.plain_reduction import joined, meanings
from tinyml_rules.ops._shared.reduction import Attrs
from tinyml_rules.ops.reduce_any.oracle import oracle

OP = Op(
    name="reduce_any",
    builtin_code=91,
    options_type=27,
    attrs=Attrs,
    inputs=("input", "axis"),
    summary="bool; any axes, constants; keep_dims",
    meanings=meanings(
        "reduce_any", lambda dtype: joined(dtype, "||", start="false"), oracle, (DType.BOOL,)
    ),
)
