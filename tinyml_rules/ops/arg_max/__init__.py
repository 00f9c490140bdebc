"""ARG_MAX: where along an axis the largest value is."""

from tinyml_rules.ops._shared.best_index import TYPES, Attrs, check_options, meanings
from tinyml_rules.ops._shared.operator import Op
from tinyml_rules.ops._shared.quantization import FREE
from tinyml_rules.ops.arg_max.oracle import oracle

OP = Op(
    name="arg_max",
    builtin_code=56,
    options_type=40,
    attrs=Attrs,
    inputs=("input", "axis"),
    options=check_options,
    summary=f"{', '.join(TYPES)} to int32 or int64; any axis, a constant",
    meanings=meanings("arg_max", oracle, better=">"),
    quantization=FREE,
)
