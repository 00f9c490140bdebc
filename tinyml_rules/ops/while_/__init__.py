"""WHILE: one sub-graph again and again, as long as another says so."""

from pathlib import Path

from tinyml_rules.ops._shared.calling import call_meaning
from tinyml_rules.ops._shared.operator import Op, Role
from tinyml_rules.ops.while_.op import Attrs, calls, check, course
from tinyml_rules.ops.while_.oracle import oracle

_TEMPLATE = Path(__file__).parent / "kernels" / "loop.c.j2"

OP = Op(
    name="while",
    builtin_code=119,
    options_type=93,
    attrs=Attrs,
    inputs=("input+",),
    outputs=("output+",),
    summary="any types; condition and body are sub-graphs without variables",
    role=Role.CALL,
    calls=calls,
    course=course,
    meanings=(call_meaning("while", _TEMPLATE, oracle, check=check, calls=calls),),
)
