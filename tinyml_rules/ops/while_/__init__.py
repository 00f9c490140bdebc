"""WHILE: one sub-graph again and again, as long as another says so."""

from pathlib import Path

from tinyml_rules.ir.program import Form, Kernel
from tinyml_rules.ops._shared.operator import Meaning, Op, Role
from tinyml_rules.ops.while_.op import Attrs, calls, check, course, prepare
from tinyml_rules.ops.while_.oracle import oracle

OP = Op(
    name="while",
    builtin_code=119,
    options_type=93,
    attrs=Attrs,
    input_counts=range(1, 65),
    output_counts=range(1, 65),
    summary="any types; condition and body are sub-graphs without variables",
    role=Role.CALL,
    calls=calls,
    course=course,
    meanings=(
        Meaning(
            check=check,
            oracle=oracle,
            prepare=prepare,
            kernels=(
                Kernel(
                    name="while",
                    template=Path(__file__).parent / "kernels" / "loop.c.j2",
                    form=Form.CALL,
                    runtime=("copy",),
                ),
            ),
        ),
    ),
)
