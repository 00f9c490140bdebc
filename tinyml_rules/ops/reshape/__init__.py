"""RESHAPE: the same bytes under another shape; nothing is computed and nothing is copied."""

from tinyml_rules.ops._shared.operator import Op
from tinyml_rules.ops.reshape.op import check, oracle, parse

OP = Op(
    name="reshape",
    builtin_code=22,
    options_type=17,
    versions=range(1, 2),
    input_counts=range(1, 3),
    summary="int8; shape from options, a constant or the output; free",
    kernels=(),
    parse=parse,
    check=check,
    prepare=None,
    oracle=oracle,
)
