"""LOGICAL_OR: whether either is true, value by value."""

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ops._shared.broadcast import SECOND, constant_last, has_single_constants
from tinyml_rules.ops._shared.operator import Op
from tinyml_rules.ops._shared.plain_values import MOST_SIMPLE_RANK, plain_meaning
from tinyml_rules.ops.logical_or.oracle import oracle

OP = Op(
    name="logical_or",
    builtin_code=84,
    options_type=60,
    inputs=("first input", "second input"),
    summary="bool; broadcast up to 4 dimensions; either input constant",
    is_map=has_single_constants,
    meanings=(
        plain_meaning(
            "logical_or",
            DType.BOOL,
            "first || second",
            oracle,
            constants=SECOND,
            order=constant_last,
            most_rank=MOST_SIMPLE_RANK,
        ),
    ),
)
