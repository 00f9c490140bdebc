"""ARG_MIN: where along an axis the smallest value is."""

from tinyml_rules.ops._shared.best_index import TYPES, Attrs, check_options, meanings
from tinyml_rules.ops._shared.operator import Op
from tinyml_rules.ops._shared.quantization import FREE
from tinyml_rules.ops.arg_min.oracle import oracle

OP = Op(
    name="arg_min",
    builtin_code=79,
    options_type=57,
    attrs=Attrs,
    inputs=("input", "axis"),
    options=check_options,
    summary=f"{', '.join(TYPES)} to int32 or int64; any axis, a constant",
    meanings=meanings("arg_min", oracle, better="<"),
    quantization=FREE,
)
