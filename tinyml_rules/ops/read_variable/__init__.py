"""READ_VARIABLE: a copy of what a variable holds now."""

from tinyml_rules.ops._shared.operator import Handling, Meaning, Op, Role
from tinyml_rules.ops.read_variable.op import check, layout, oracle

OP = Op(
    name="read_variable",
    builtin_code=143,
    options_type=112,
    inputs=("variable",),
    summary="any type",
    role=Role.LAYOUT,
    handling=Handling.READS,
    layout=layout,
    meanings=(Meaning(operands={}, check=check, oracle=oracle),),
)
