"""IF: one of two sub-graphs, as a truth value says."""

from pathlib import Path

from tinyml_rules.ops._shared.calling import call_meaning
from tinyml_rules.ops._shared.operator import Op, Role
from tinyml_rules.ops.if_.op import Attrs, calls, check, course
from tinyml_rules.ops.if_.oracle import oracle

_TEMPLATE = Path(__file__).parent / "kernels" / "branches.c.j2"

OP = Op(
    name="if",
    builtin_code=118,
    options_type=92,
    attrs=Attrs,
    inputs=("condition", "input*"),
    outputs=("output+",),
    summary="any types; both branches are sub-graphs without variables",
    role=Role.CALL,
    calls=calls,
    course=course,
    meanings=(call_meaning("if", _TEMPLATE, oracle, check=check, calls=calls),),
)
