"""MAX_POOL_2D: every output value is the maximum of a window of one channel."""

from pathlib import Path

from tinyml_rules.ir.program import Form, Kernel
from tinyml_rules.ops._shared.channels import same_channels
from tinyml_rules.ops._shared.operator import Meaning, Op
from tinyml_rules.ops._shared.pooling import Attrs, Params, check, prepare, windowed
from tinyml_rules.ops.max_pool_2d.oracle import oracle


def _vectors(lanes: int) -> Kernel:
    """By Helium, so many channels at a time."""

    def takes(params: object) -> bool:
        assert isinstance(params, Params)
        return params.channels >= lanes

    return Kernel(
        name=f"max_pool_2d_vectors_of_{lanes}",
        template=Path(__file__).parent / "kernels" / "vectors.c.j2",
        form=Form.WINDOW,
        requires=frozenset(("mve", "registers_32")),
        when=takes,
        values={"lanes": lanes},
    )


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
                _vectors(16),
                _vectors(8),
                Kernel(
                    name="max_pool_2d",
                    template=Path(__file__).parent / "kernels" / "portable.c.j2",
                    form=Form.WINDOW,
                    when=lambda _params: True,
                ),
            ),
        ),
    ),
)
