"""IF: one of two sub-graphs, as a truth value says."""

from pathlib import Path

from tinyml_rules.ir.program import Form, Kernel
from tinyml_rules.ops._shared.operator import Meaning, Op, Role
from tinyml_rules.ops.if_.op import Attrs, calls, check, course, prepare
from tinyml_rules.ops.if_.oracle import oracle

OP = Op(
    name="if",
    builtin_code=118,
    options_type=92,
    attrs=Attrs,
    input_counts=range(1, 65),
    output_counts=range(1, 65),
    summary="any types; both branches are sub-graphs without variables",
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
                    name="if",
                    template=Path(__file__).parent / "kernels" / "branches.c.j2",
                    form=Form.CALL,
                    runtime=("copy",),
                ),
            ),
        ),
    ),
)
