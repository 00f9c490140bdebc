"""ASSIGN_VARIABLE: a variable holds another value from now on."""

from tinyml_rules.ops._shared.operator import Handling, Meaning, Op, Role
from tinyml_rules.ops.assign_variable.op import check, layout, oracle

OP = Op(
    name="assign_variable",
    builtin_code=144,
    options_type=113,
    inputs=("variable", "input"),
    outputs=(),
    summary="any type",
    role=Role.EFFECT,
    handling=Handling.ASSIGNS,
    layout=layout,
    meanings=(Meaning(operands={}, check=check, oracle=oracle),),
)
