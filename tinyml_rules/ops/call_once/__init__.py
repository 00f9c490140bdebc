"""CALL_ONCE: a sub-graph that gives variables their initial values."""

from tinyml_rules.ops._shared.operator import Handling, Meaning, Op, Role
from tinyml_rules.ops.call_once.op import Attrs, calls, check, oracle

OP = Op(
    name="call_once",
    builtin_code=129,
    options_type=103,
    attrs=Attrs,
    inputs=(),
    outputs=(),
    summary="a sub-graph that assigns constants to variables",
    role=Role.EFFECT,
    handling=Handling.STARTS,
    calls=calls,
    meanings=(Meaning(operands={}, check=check, oracle=oracle),),
)
