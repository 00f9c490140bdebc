"""LOGICAL_AND: whether both are true, value by value."""

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ops._shared.broadcast import SECOND, constant_last, has_single_constants
from tinyml_rules.ops._shared.operator import Op
from tinyml_rules.ops._shared.plain_values import MOST_SIMPLE_RANK, plain_meaning
from tinyml_rules.ops.logical_and.oracle import oracle

OP = Op(
    name="logical_and",
    builtin_code=86,
    options_type=62,
    inputs=("first input", "second input"),
    summary="bool; broadcast up to 4 dimensions; either input constant",
    is_map=has_single_constants,
    meanings=(
        plain_meaning(
            "logical_and",
            DType.BOOL,
            "first && second",
            oracle,
            constants=SECOND,
            order=constant_last,
            most_rank=MOST_SIMPLE_RANK,
        ),
    ),
)
