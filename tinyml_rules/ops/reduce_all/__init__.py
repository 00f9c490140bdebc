"""REDUCE_ALL: whether all values along some axes are true."""

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ops._shared.operator import Op
from tinyml_rules.ops._shared.plain_reduction import joined, meanings
from tinyml_rules.ops._shared.reduction import Attrs
from tinyml_rules.ops.reduce_all.oracle import oracle

OP = Op(
    name="reduce_all",
    builtin_code=140,
    options_type=27,
    attrs=Attrs,
    inputs=("input", "axis"),
    summary="bool; any axes, constants; keep_dims",
    meanings=meanings(
        "reduce_all", lambda dtype: joined(dtype, "&&", start="true"), oracle, (DType.BOOL,)
    ),
)
