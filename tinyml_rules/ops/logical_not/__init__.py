"""LOGICAL_NOT: a bit flipped."""

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ops._shared.operands import plain
from tinyml_rules.ops._shared.operator import Meaning
from tinyml_rules.ops._shared.real_maps import map_op
from tinyml_rules.ops.logical_not.oracle import oracle

OP = map_op(
    "logical_not",
    87,
    Meaning(
        operands={"input": plain(DType.BOOL), "output": plain(DType.BOOL, shape="input")},
        oracle=oracle,
    ),
    summary="bool",
    options_type=63,
)
