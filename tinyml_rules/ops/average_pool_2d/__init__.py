"""AVERAGE_POOL_2D: every output value is the average of a window of one channel."""

from pathlib import Path

from tinyml_rules.ir.program import Form, Kernel
from tinyml_rules.ops._shared.operator import Op
from tinyml_rules.ops._shared.pooling import check_mean, parse, prepare
from tinyml_rules.ops.average_pool_2d.oracle import oracle

OP = Op(
    name="average_pool_2d",
    builtin_code=1,
    options_type=5,
    versions=range(1, 4),
    input_counts=range(1, 2),
    summary="int8; SAME, VALID; stride; fused activation",
    kernels=(
        Kernel(
            name="average_pool_2d",
            template=Path(__file__).parent / "kernels" / "portable.c.j2",
            form=Form.WINDOW,
            in_rows=Kernel(
                name="average_pool_2d_rows",
                template=Path(__file__).parent / "kernels" / "rows.c.j2",
                form=Form.ROWS,
            ),
        ),
    ),
    parse=parse,
    check=check_mean,
    prepare=prepare,
    oracle=oracle,
)
