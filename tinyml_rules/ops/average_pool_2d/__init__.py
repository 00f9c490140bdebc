"""AVERAGE_POOL_2D: every output value is the average of a window of one channel."""

from pathlib import Path

from tinyml_rules.ir.program import Form, Kernel
from tinyml_rules.ops._shared.channels import same_channels
from tinyml_rules.ops._shared.constraints import takes_reals
from tinyml_rules.ops._shared.operator import Meaning, Op
from tinyml_rules.ops._shared.pooling import (
    OPERANDS,
    REAL_OPERANDS,
    Attrs,
    check,
    check_mean,
    check_options,
    prepare,
    prepare_real,
    windowed,
)
from tinyml_rules.ops._shared.quantization import SAME
from tinyml_rules.ops.average_pool_2d import eight_channels
from tinyml_rules.ops.average_pool_2d.oracle import oracle, oracle_of_real
from tinyml_rules.ops.average_pool_2d.vectors import VECTORS, WITH_VECTOR_ROWS

OP = Op(
    name="average_pool_2d",
    builtin_code=1,
    options_type=5,
    attrs=Attrs,
    inputs=("input",),
    options=check_options,
    summary="int8, float32; SAME, VALID; stride; fused activation",
    channels=same_channels,
    meanings=(
        Meaning(
            takes=takes_reals,
            operands=REAL_OPERANDS,
            check=check,
            oracle=oracle_of_real,
            prepare=prepare_real,
            kernels=(
                Kernel(
                    name="average_pool_2d_real",
                    template=Path(__file__).parent / "kernels" / "float32.c.j2",
                    form=Form.WINDOW,
                ),
            ),
        ),
        Meaning(
            operands=OPERANDS,
            check=check_mean,
            oracle=oracle,
            prepare=prepare,
            interval=windowed(oracle),
            kernels=(
                *eight_channels.KERNELS,
                VECTORS,
                WITH_VECTOR_ROWS,
                Kernel(
                    name="average_pool_2d",
                    template=Path(__file__).parent / "kernels" / "portable.c.j2",
                    form=Form.WINDOW,
                    in_rows=Kernel(
                        name="average_pool_2d_rows",
                        template=Path(__file__).parent / "kernels" / "rows.c.j2",
                        form=Form.ROWS,
                        variant=eight_channels.Rows(has_eight=False),
                    ),
                ),
            ),
        ),
    ),
    quantization=SAME,
)
