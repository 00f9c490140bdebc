"""DEPTHWISE_CONV_2D: every output channel is a weighted sum over a window of one input channel."""

from dataclasses import dataclass, replace
from pathlib import Path

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.program import Form, Kernel
from tinyml_rules.ir.sum_conditions import BYTES, Ask, outputs_in, values_up_to
from tinyml_rules.ir.sums import Sums
from tinyml_rules.ir.words import Variant
from tinyml_rules.ops._shared.accumulate import weighted_macs
from tinyml_rules.ops._shared.computed_weights import computed_meaning, computed_real_meaning
from tinyml_rules.ops._shared.convolution import (
    check_options,
    with_border,
    with_dilation,
    without_padding,
)
from tinyml_rules.ops._shared.operator import Meaning, Op
from tinyml_rules.ops._shared.quantization import Weights, weighted
from tinyml_rules.ops._shared.real_weights import (
    RealSums,
    WeightWords,
    channels_in_fours,
    narrow_too,
    takes_real_weights,
)
from tinyml_rules.ops._shared.weighted_interval import weighted_interval
from tinyml_rules.ops._weighted.int16x8 import int16_meaning
from tinyml_rules.ops._weighted.words import ElementWords
from tinyml_rules.ops._weighted.zero_point import offset_meaning
from tinyml_rules.ops.depthwise_conv_2d import (
    along_row_of_bytes,
    columns,
    float32,
    one_wide,
    plane,
)
from tinyml_rules.ops.depthwise_conv_2d.along_row import KERNELS as ALONG_ROW
from tinyml_rules.ops.depthwise_conv_2d.one_column import ONE_COLUMN
from tinyml_rules.ops.depthwise_conv_2d.op import (
    CHANNEL_AXIS,
    CONTRACT,
    OPERANDS,
    REAL_OPERANDS,
    Attrs,
    channels,
    check,
    prepare,
)
from tinyml_rules.ops.depthwise_conv_2d.oracle import oracle, oracle_of_real, products
from tinyml_rules.ops.depthwise_conv_2d.paged import pack
from tinyml_rules.ops.depthwise_conv_2d.planes import PLANES

_KERNELS = Path(__file__).parent / "kernels"

_MOST_TAPS = 511
"""Of which 256 times the sum of products fits into 32 bits."""
_MOST_LISTED_TAPS = 64
"""Of two bytes each, on the stack."""


@dataclass(frozen=True)
class Lanes(Variant):
    """Words of the template of channels side by side."""

    lanes: int
    """Channels at a time."""


_ALONE = Ask(lambda sums: sums.outputs == sums.channels, "the depth multiplier is not 1")
"""Every output channel has an input channel of its own."""


def _side_by_side(feature: Feature, *, lanes: int) -> Kernel[Sums]:
    """For targets with the feature, as many channels at a time as it has lanes."""
    return Kernel(
        name=f"depthwise_conv_2d_by_{lanes}",
        template=_KERNELS / "side_by_side.c.j2",
        form=Form.WINDOW,
        requires=frozenset((feature,)),
        can=(_ALONE, outputs_in(lanes), BYTES),
        runtime=(f"sums_of_{lanes}", "requantize_four"),
        variant=Lanes(lanes),
    )


_PORTABLE = Kernel(
    name="depthwise_conv_2d",
    template=_KERNELS / "portable.c.j2",
    form=Form.WINDOW,
    can=(BYTES,),
    runtime=("multiply_accumulate", "requantize"),
    has_far_form=True,
    variant=ElementWords(),
)

_REAL = Kernel[RealSums](
    name="depthwise_conv_2d_real",
    template=_KERNELS / "float32.c.j2",
    form=Form.WINDOW,
    variant=WeightWords(),
)


OP = Op(
    name="depthwise_conv_2d",
    builtin_code=4,
    options_type=2,
    attrs=Attrs,
    inputs=("input", "weights", "bias?"),
    options=check_options,
    summary="int8; weights int8 or int4, per-tensor or per-axis, computed; int16 with "
    "weights int8; float32, weights computed too; SAME, VALID; stride; dilation; depth multiplier; "
    "fused activation",
    macs=weighted_macs,
    with_border=with_border,
    with_dilation=with_dilation,
    without_padding=without_padding,
    channels=channels,
    meanings=(
        computed_real_meaning("depthwise_conv_2d", check, oracle_of_real, axis=CHANNEL_AXIS),
        *narrow_too(
            Meaning(
                takes=takes_real_weights,
                operands=REAL_OPERANDS,
                check=check,
                oracle=oracle_of_real,
                prepare=float32.prepare,
                kernels=(channels_in_fours(_REAL), _REAL),
            ),
            _REAL,
            axis=CHANNEL_AXIS,
        ),
        offset_meaning(
            OPERANDS,
            check,
            oracle,
            prepare,
            plain=replace(_PORTABLE, name="depthwise_conv_2d_offset"),
            interval=weighted_interval(products),
        ),
        int16_meaning(OPERANDS, check, oracle, prepare, _PORTABLE, biases=(DType.INT64,)),
        computed_meaning("depthwise_conv_2d", OPERANDS, check, oracle, axis=CHANNEL_AXIS),
        Meaning[Sums](
            operands=OPERANDS,
            check=check,
            oracle=oracle,
            prepare=prepare,
            kernels=(
                Kernel(
                    name="depthwise_conv_2d_paged",
                    template=_KERNELS / "paged.c.j2",
                    form=Form.WINDOW,
                    requires=frozenset((Feature.EXTERNAL_WEIGHTS,)),
                    runtime=(
                        "multiply_accumulate",
                        "page",
                        "page_int8",
                        "page_int32",
                        "requantize",
                    ),
                    pack=pack,
                ),
                *columns.KERNELS,
                *plane.OF_WORDS,
                Kernel(
                    name="depthwise_conv_2d_words",
                    template=_KERNELS / "words.c.j2",
                    form=Form.WINDOW,
                    requires=frozenset((Feature.MUL16S,)),
                    can=(_ALONE, outputs_in(4), BYTES, values_up_to(_MOST_TAPS)),
                    runtime=("requantize",),
                ),
                *ALONG_ROW,
                *PLANES,
                *along_row_of_bytes.KERNELS,
                ONE_COLUMN,
                *one_wide.KERNELS,
                *plane.KERNELS,
                _side_by_side(Feature.MVE, lanes=8),
                _side_by_side(Feature.REGISTERS_32, lanes=4),
                Kernel(
                    name="depthwise_conv_2d_cells",
                    template=_KERNELS / "cells.c.j2",
                    form=Form.WINDOW,
                    requires=frozenset((Feature.AVR,)),
                    can=(BYTES, values_up_to(_MOST_LISTED_TAPS)),
                    runtime=("requantize",),
                    has_far_form=True,
                ),
                replace(_PORTABLE, contract=CONTRACT),
            ),
            interval=weighted_interval(products),
        ),
    ),
    quantization=weighted(Weights(axis=CHANNEL_AXIS), version=3),
)
