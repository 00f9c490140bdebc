"""LOGICAL_NOT: a bit flipped."""

from tinyml_rules.ops._shared.operator import Meaning
from tinyml_rules.ops._shared.real_maps import map_op
from tinyml_rules.ops.logical_not.op import check
from tinyml_rules.ops.logical_not.oracle import oracle

OP = map_op(
    "logical_not",
    87,
    Meaning(check=check, oracle=oracle),
    summary="bool",
    options_type=63,
)
