"""L2_NORMALIZATION: vectors along the last dimension, each divided by its length."""

from pathlib import Path

from tinyml_rules.ir.program import Form, Kernel
from tinyml_rules.ops._shared.constraints import takes_reals
from tinyml_rules.ops._shared.operator import Meaning, Op
from tinyml_rules.ops._shared.quantization import fixed
from tinyml_rules.ops.l2_normalization.op import (
    OPERANDS,
    REAL_OPERANDS,
    Attrs,
    check,
    check_options,
    prepare,
)
from tinyml_rules.ops.l2_normalization.oracle import oracle, oracle_of_real

OP = Op(
    name="l2_normalization",
    builtin_code=11,
    options_type=12,
    attrs=Attrs,
    inputs=("input",),
    options=check_options,
    summary="int8; output scale 1/128 and zero point 0; up to 4 dimensions",
    meanings=(
        Meaning(
            takes=takes_reals,
            operands=REAL_OPERANDS,
            oracle=oracle_of_real,
        ),
        Meaning(
            operands=OPERANDS,
            check=check,
            oracle=oracle,
            prepare=prepare,
            kernels=(
                Kernel(
                    name="l2_normalization",
                    template=Path(__file__).parent / "kernels" / "l2_normalization.c.j2",
                    form=Form.POINTWISE,
                    is_in_place=True,
                    runtime=("inverse_square_root", "requantize"),
                ),
            ),
        ),
    ),
    quantization=fixed(1 / 128, 0),
)
