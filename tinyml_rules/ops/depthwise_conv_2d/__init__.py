"""DEPTHWISE_CONV_2D: every output channel is a weighted sum over a window of one input channel."""

from pathlib import Path

from tinyml_rules.ir.program import Form, Kernel
from tinyml_rules.ops.depthwise_conv_2d.op import Params, check, parse, prepare
from tinyml_rules.ops.depthwise_conv_2d.oracle import oracle
from tinyml_rules.ops.depthwise_conv_2d.paged import pack
from tinyml_rules.ops.operator import Op

_KERNELS = Path(__file__).parent / "kernels"


def _has_fours(params: object) -> bool:
    """Every output channel has an input channel of its own, and four lie side by side."""
    assert isinstance(params, Params)
    return params.depth_multiplier == 1 and params.output_channels % 4 == 0


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
        Kernel(
            name="depthwise_conv_2d_fours",
            template=_KERNELS / "fours.c.j2",
            form=Form.WINDOW,
            requires=frozenset(("registers_32",)),
            when=_has_fours,
            runtime=("four_sums", "requantize_four"),
        ),
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
