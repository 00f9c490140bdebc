"""CONV_2D: every output pixel is a weighted sum over a window and all input channels."""

from dataclasses import dataclass, replace
from pathlib import Path

from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.program import Form, Kernel
from tinyml_rules.ir.sum_conditions import (
    BYTES,
    CLOSE,
    DILATED,
    GROUPED,
    NIBBLES,
    PIXELS,
    UNGROUPED,
    WINDOW,
    Ask,
)
from tinyml_rules.ir.sums import Sums
from tinyml_rules.ir.words import Variant
from tinyml_rules.ops._shared.accumulate import weighted_macs
from tinyml_rules.ops._shared.computed_weights import computed_meaning, computed_real_meaning
from tinyml_rules.ops._shared.convolution import (
    ConvolutionAttrs,
    check_options,
    seen_by_groups,
    with_border,
    with_dilation,
    without_padding,
)
from tinyml_rules.ops._shared.operator import Meaning, Op
from tinyml_rules.ops._shared.quantization import Weights, weighted
from tinyml_rules.ops._shared.real_weights import (
    RealSums,
    WeightWords,
    in_fours,
    narrow_too,
    takes_real_weights,
)
from tinyml_rules.ops._shared.weighted_interval import weighted_interval
from tinyml_rules.ops._weighted.frame import of_images
from tinyml_rules.ops._weighted.int16x8 import int16_meaning
from tinyml_rules.ops._weighted.words import ElementWords
from tinyml_rules.ops._weighted.zero_point import offset_meaning
from tinyml_rules.ops.conv_2d import (
    columns,
    float32,
    offset_pairs,
    pairs,
    unsigned_paged,
    unsigned_pairs,
    winograd,
)
from tinyml_rules.ops.conv_2d.op import (
    CHANNEL_AXIS,
    CONTRACT,
    OPERANDS,
    PIXEL_CONTRACT,
    REAL_OPERANDS,
    channels,
    check,
    prepare,
)
from tinyml_rules.ops.conv_2d.oracle import oracle, oracle_of_real, products
from tinyml_rules.ops.conv_2d.paged import pack
from tinyml_rules.ops.conv_2d.variants import Dilation

_KERNELS = Path(__file__).parent / "kernels"

_SHORT_RUN = 32
"""Values of a window row: on AVR, a row costs about as much as 16 products more."""

_MOST_GATHERED = 128
"""Bytes on the stack."""


@dataclass(frozen=True, kw_only=True)
class Paged(Dilation):
    """Words of the template of weights outside flash."""

    is_grouped: bool = False
    """Whether an output sees the channels of its group alone."""


@dataclass(frozen=True)
class AtOnce(Variant):
    """Words of the template of four real sums at a time."""

    at_once: int
    """Pixels."""


_PAGED = Kernel(
    name="conv_2d_paged",
    template=_KERNELS / "paged.c.j2",
    form=Form.WINDOW,
    requires=frozenset((Feature.EXTERNAL_WEIGHTS,)),
    runtime=("page_dot_product", "page_sum", "page_int8", "page_int32", "requantize"),
    variant=Paged(),
    pack=pack,
)
"""For every window, 1x1 included."""

_NIBBLES = Kernel(
    name="conv_2d_nibbles",
    template=_KERNELS / "groups.c.j2",
    form=Form.WINDOW,
    can=(NIBBLES, WINDOW),
    runtime=("nibble_dot_product", "nibble", "multiply_accumulate", "requantize"),
    has_far_form=True,
    variant=ElementWords(has_nibbles=True, dot_product="nibble_dot_product"),
)
"""Weights of four bits, of groups or not."""


_REAL = Kernel[RealSums](
    name="conv_2d_real", template=_KERNELS / "float32.c.j2", form=Form.WINDOW, variant=WeightWords()
)
_ONE_PIXEL = replace(in_fours(_REAL), variant=AtOnce(1))
_REAL_FOURS = (
    replace(
        _ONE_PIXEL,
        name="conv_2d_real_fours_of_3",
        excludes=frozenset((Feature.MVE,)),
        runtime=(*_ONE_PIXEL.runtime, "real_sums_of_3"),
        variant=AtOnce(3),
    ),
    _ONE_PIXEL,
)


def _run(sums: Sums) -> int:
    """Values of a window row."""
    return sums.across.size * sums.channels


_POINTWISE = Kernel(
    name="conv_2d_pointwise",
    template=_KERNELS / "pointwise.c.j2",
    form=Form.POINTWISE,
    can=(PIXELS, BYTES),
    runtime=("dot_product", "requantize"),
    has_far_form=True,
    variant=ElementWords(),
    contract=PIXEL_CONTRACT,
)

_NIBBLE_PIXELS = replace(
    _POINTWISE,
    contract=None,
    name="conv_2d_nibble_pixels",
    can=(PIXELS, NIBBLES),
    runtime=("nibble_dot_product", "requantize"),
    variant=ElementWords(has_nibbles=True, dot_product="nibble_dot_product"),
)

_PLAIN_WINDOW = (WINDOW, BYTES, UNGROUPED)
"""One that sees all input channels, with weights of a byte."""


OP = Op(
    name="conv_2d",
    builtin_code=3,
    options_type=1,
    attrs=ConvolutionAttrs,
    inputs=("input", "weights", "bias?"),
    options=check_options,
    summary="int8; weights int8 or int4, per-tensor or per-axis, computed; int16 with "
    "weights int8; float32, weights computed too; groups; SAME, VALID; stride; dilation; fused "
    "activation",
    macs=weighted_macs,
    with_border=with_border,
    with_dilation=with_dilation,
    without_padding=without_padding,
    channels=channels,
    meanings=(
        computed_real_meaning("conv_2d", check, oracle_of_real, axis=CHANNEL_AXIS),
        *narrow_too(
            Meaning(
                takes=takes_real_weights,
                operands=REAL_OPERANDS,
                check=check,
                oracle=oracle_of_real,
                prepare=float32.prepare,
                kernels=(*_REAL_FOURS, _REAL),
            ),
            _REAL,
            axis=CHANNEL_AXIS,
        ),
        offset_meaning(
            OPERANDS,
            check,
            oracle,
            prepare,
            plain=replace(_NIBBLES, name="conv_2d_offset"),
            interval=weighted_interval(products),
        ),
        int16_meaning(
            OPERANDS,
            check,
            oracle,
            prepare,
            _POINTWISE,
            replace(_NIBBLES, name="conv_2d", can=(WINDOW,)),
            tiles=of_images("conv_2d", "int16_t"),
        ),
        computed_meaning("conv_2d", OPERANDS, check, oracle, axis=CHANNEL_AXIS),
        Meaning[Sums](
            operands=OPERANDS,
            check=check,
            oracle=oracle,
            prepare=prepare,
            kernels=(
                *unsigned_paged.KERNELS,
                replace(
                    _PAGED,
                    name="conv_2d_grouped_paged",
                    can=(GROUPED,),
                    variant=Paged(is_dilated=True, is_grouped=True),
                ),
                replace(_PAGED, can=(UNGROUPED, CLOSE)),
                replace(
                    _PAGED,
                    name="conv_2d_dilated_paged",
                    can=(UNGROUPED, DILATED),
                    variant=Paged(is_dilated=True),
                ),
                replace(
                    _NIBBLES,
                    name="conv_2d_grouped",
                    can=(GROUPED, BYTES),
                    runtime=("dot_product", "multiply_accumulate", "requantize"),
                    variant=ElementWords(),
                ),
                *of_images("conv_2d", is_for_speed=True),
                *winograd.KERNELS,
                *pairs.KERNELS,
                *offset_pairs.KERNELS,
                columns.KERNEL,
                *of_images("conv_2d"),
                *unsigned_pairs.KERNELS,
                _NIBBLES,
                _NIBBLE_PIXELS,
                _POINTWISE,
                Kernel(
                    name="conv_2d_gathered",
                    template=_KERNELS / "gathered.c.j2",
                    form=Form.WINDOW,
                    requires=frozenset((Feature.AVR,)),
                    can=(
                        *_PLAIN_WINDOW,
                        CLOSE,
                        Ask(
                            lambda sums: _run(sums) * sums.down.height <= _MOST_GATHERED,
                            f"a window of more than {_MOST_GATHERED} values",
                        ),
                    ),
                    pays=(
                        Ask(
                            lambda sums: _run(sums) < _SHORT_RUN,
                            f"window rows of {_SHORT_RUN} values or more",
                        ),
                    ),
                    runtime=("dot_product", "requantize"),
                    has_far_form=True,
                ),
                Kernel(
                    name="conv_2d",
                    template=_KERNELS / "portable.c.j2",
                    form=Form.WINDOW,
                    can=(*_PLAIN_WINDOW, CLOSE),
                    runtime=("dot_product", "multiply_accumulate", "requantize"),
                    has_far_form=True,
                    contract=CONTRACT,
                ),
                Kernel(
                    name="conv_2d_dilated",
                    template=_KERNELS / "dilated.c.j2",
                    form=Form.WINDOW,
                    can=_PLAIN_WINDOW,
                    runtime=("multiply_accumulate", "requantize"),
                    has_far_form=True,
                ),
            ),
            interval=weighted_interval(products),
        ),
    ),
    quantization=weighted(
        Weights(axis=CHANNEL_AXIS, int4_version=7, seen=seen_by_groups), version=3
    ),
)
