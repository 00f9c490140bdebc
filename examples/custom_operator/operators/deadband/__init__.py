"""DEADBAND: values near zero become zero."""

from pathlib import Path

from tinyml_rules.ir.program import Form, Kernel
from tinyml_rules.ops._shared.operator import Meaning, Op

from .op import OPERANDS, Options, check, oracle, prepare

OP = Op(
    name="deadband",
    custom_name="Deadband",
    attrs=Options,
    inputs=("input",),
    summary="int8, input and output quantized alike; values of at most `width` become zero",
    meanings=(
        Meaning(
            operands=OPERANDS,
            check=check,
            oracle=oracle,
            prepare=prepare,
            kernels=(
                Kernel(
                    name="deadband",
                    template=Path(__file__).parent / "kernels" / "portable.c.j2",
                    form=Form.POINTWISE,
                    is_in_place=True,
                ),
            ),
        ),
    ),
)
