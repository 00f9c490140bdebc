"""DEPTHWISE_CONV_2D: every output channel is a weighted sum over a window of one input channel."""

from pathlib import Path

from tinyml_rules.ir.program import Form, Kernel
from tinyml_rules.ops.depthwise_conv_2d.op import Params, check, parse, prepare
from tinyml_rules.ops.depthwise_conv_2d.oracle import oracle
from tinyml_rules.ops.depthwise_conv_2d.paged import pack
from tinyml_rules.ops.operator import Op

_KERNELS = Path(__file__).parent / "kernels"


def _side_by_side(feature: str, *, lanes: int) -> Kernel:
    """For targets with the feature, where every output channel has an input channel of its own and
    `lanes` of them lie side by side."""

    def takes(params: object) -> bool:
        assert isinstance(params, Params)
        return params.depth_multiplier == 1 and params.output_channels % lanes == 0

    return Kernel(
        name=f"depthwise_conv_2d_by_{lanes}",
        template=_KERNELS / "side_by_side.c.j2",
        form=Form.WINDOW,
        requires=frozenset((feature,)),
        when=takes,
        runtime=(f"sums_of_{lanes}", "requantize_four"),
        values={"lanes": lanes},
    )


OP = Op(
    name="depthwise_conv_2d",
    builtin_code=4,
    options_type=2,
    versions=range(1, 8),
    input_counts=range(2, 4),
    summary="int8; weights per-tensor or per-axis; SAME, VALID; stride; dilation; "
    "depth multiplier; fused activation",
    kernels=(
        Kernel(
            name="depthwise_conv_2d_paged",
            template=_KERNELS / "paged.c.j2",
            form=Form.WINDOW,
            requires=frozenset(("external_weights",)),
            runtime=("multiply_accumulate", "page", "page_int8", "page_int32", "requantize"),
            pack=pack,
        ),
        _side_by_side("mve", lanes=8),
        _side_by_side("registers_32", lanes=4),
        Kernel(
            name="depthwise_conv_2d",
            template=_KERNELS / "portable.c.j2",
            form=Form.WINDOW,
            runtime=("multiply_accumulate", "requantize"),
            has_far_form=True,
        ),
    ),
    parse=parse,
    check=check,
    prepare=prepare,
    oracle=oracle,
)
