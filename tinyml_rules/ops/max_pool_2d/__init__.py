"""MAX_POOL_2D: every output value is the maximum of a window of one channel."""

from pathlib import Path

from tinyml_rules.ir.program import Form, Kernel
from tinyml_rules.ops._shared.channels import same_channels
from tinyml_rules.ops._shared.operator import Meaning, Op
from tinyml_rules.ops._shared.pooling import Attrs, check, prepare, windowed
from tinyml_rules.ops.max_pool_2d.oracle import oracle

OP = Op(
    name="max_pool_2d",
    builtin_code=17,
    options_type=5,
    attrs=Attrs,
    input_counts=range(1, 2),
    summary="int8; SAME, VALID; stride; fused activation",
    channels=same_channels,
    meanings=(
        Meaning(
            check=check,
            oracle=oracle,
            prepare=prepare,
            interval=windowed(oracle),
            kernels=(
                Kernel(
                    name="max_pool_2d_vectors",
                    template=Path(__file__).parent / "kernels" / "vectors.c.j2",
                    form=Form.WINDOW,
                    requires=frozenset(("mve", "registers_32")),
                ),
                Kernel(
                    name="max_pool_2d",
                    template=Path(__file__).parent / "kernels" / "portable.c.j2",
                    form=Form.WINDOW,
                ),
            ),
        ),
    ),
)
