"""SOFTMAX: exp(beta * x) divided by its sum along the last dimension."""

from pathlib import Path

from tinyml_rules.ir.program import Form, Kernel
from tinyml_rules.ops._shared.operator import Meaning, Op
from tinyml_rules.ops.softmax.op import Attrs, check, prepare
from tinyml_rules.ops.softmax.oracle import oracle

OP = Op(
    name="softmax",
    builtin_code=25,
    options_type=9,
    attrs=Attrs,
    input_counts=range(1, 2),
    summary="int8; output scale 1/256 and zero point -128; any beta",
    meanings=(
        Meaning(
            check=check,
            oracle=oracle,
            prepare=prepare,
            kernels=(
                Kernel(
                    name="softmax",
                    template=Path(__file__).parent / "kernels" / "portable.c.j2",
                    form=Form.POINTWISE,
                    is_in_place=True,
                    runtime=("rounding_high_multiply", "rounding_shift_right"),
                ),
            ),
        ),
    ),
)
