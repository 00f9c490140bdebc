"""Cases of CONV_2D: geometry, quantization, ties and what is refused."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tinyml_rules.arithmetic.fixed_point import Activation
from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.case import (
    Rejected,
    every_value_case,
    model_of,
    random_case,
    with_options,
    with_tensor,
)
from tinyml_rules.ops._shared.cases.int16x8 import int16_cases, int16_models, int16_rejected
from tinyml_rules.ops._shared.cases.reals import real_cases, real_models
from tinyml_rules.ops._shared.cases.strategies import BITS, FEW, maybe_computed, sums, windows
from tinyml_rules.ops._shared.cases.uint8 import weighted_uint8_cases, weighted_uint8_models
from tinyml_rules.ops._shared.cases.weighted import (
    COMPUTED_REALS,
    WRAPPING_FACTOR,
    Image,
    Pair,
    Sums,
    Window,
    computed,
    computed_cases,
    shifting,
    wrapping,
    wrapping_at_zero_point,
)
from tinyml_rules.ops._shared.spatial import Padding
from tinyml_rules.ops.conv_2d.rejected_cases import WRONG

SAME, VALID = Padding.SAME, Padding.VALID


def conv(
    image: Image = (1, 5, 4, 2),
    window: Pair = (3, 3),
    *,
    outputs: int = 3,
    groups: int = 1,
    padding: Padding = SAME,
    strides: Pair = (1, 1),
    dilations: Pair = (1, 1),
    **sums: Any,
) -> ModelSpec:
    """A convolution; `sums` are fields of `Sums`, pairs are (vertical, horizontal)."""
    how = Sums(**sums)
    move = Window(size=window, padding=padding, strides=strides, dilations=dilations)
    channels = image[3] // groups
    terms = window[0] * window[1] * channels
    return model_of(
        "CONV_2D",
        (
            how.source(image),
            *how.constants((outputs, *window, channels), axis=0, terms=terms),
        ),
        how.result(move.output_shape(image, channels=outputs)),
        options=move.options(how.activation),
        version=3,
    )


def identity(factor: float) -> ModelSpec:
    """A 1x1 convolution whose sums are the input's own 64 values."""
    return conv(
        (1, 8, 8, 1), (1, 1), outputs=1, values=1, factor=factor, zero_points=(0, 0), bias_size=0
    )


_ROUNDED_UP = conv((1, 2, 2, 1), (1, 1), outputs=1, zero_points=(0, 0), bias_size=0)
_ROUNDED_UP = with_tensor(_ROUNDED_UP, 0, scales=(1 + 2.0**-23,))
_ROUNDED_UP = with_tensor(_ROUNDED_UP, 1, scales=(1 - 2.0**-23,))
_ROUNDED_UP = with_tensor(_ROUNDED_UP, 3, scales=(1.0,))


def wide(image: Image, window: Pair, **changes: Any) -> ModelSpec:
    """A convolution with six outputs whose sums wrap."""
    return wrapping(conv(image, window, outputs=6, factor=WRAPPING_FACTOR, **changes))


_LOWEST: dict[str, Any] = {"activation": Activation.RELU, "zero_points": (-128, -128)}
CASES = {
    "same": random_case(conv()),
    "valid": random_case(conv(padding=VALID)),
    "strides_2": random_case(conv((1, 6, 7, 2), strides=(2, 2))),
    "strides_2_valid": random_case(conv((1, 6, 7, 2), strides=(2, 2), padding=VALID)),
    "stride_down_3": random_case(conv((1, 7, 4, 1), strides=(3, 1))),
    "stride_across_3": random_case(conv((1, 4, 7, 1), strides=(1, 3))),
    "stride_beyond_window": random_case(conv((1, 7, 7, 1), (2, 2), strides=(3, 4), padding=VALID)),
    "dilations_2": random_case(conv((1, 6, 6, 2), dilations=(2, 2))),
    "dilations_2_valid": random_case(conv((1, 6, 6, 2), dilations=(2, 2), padding=VALID)),
    "dilation_down_3": random_case(conv((1, 8, 3, 2), dilations=(3, 1))),
    "dilation_across_3": random_case(conv((1, 3, 8, 2), dilations=(1, 3))),
    "dilation_beyond_image": random_case(conv((1, 3, 3, 1), dilations=(4, 4))),
    "dilation_32767": random_case(conv(dilations=(32_767, 32_767))),
    "dilation_over_the_image": random_case(conv((1, 4, 5, 2), (2, 2), dilations=(9, 32_767))),
    "dilation_over_half": random_case(conv((1, 6, 7, 2), (2, 4), dilations=(5, 6), strides=(2, 3))),
    "stride_beyond_int16": random_case(conv(strides=(40_000, 50_000))),
    "dilations_and_strides": random_case(conv((1, 7, 8, 1), strides=(2, 3), dilations=(2, 2))),
    "pointwise": random_case(conv((1, 4, 3, 5), (1, 1), outputs=4)),
    "pointwise_strides_2": random_case(conv((1, 5, 4, 3), (1, 1), strides=(2, 2))),
    "pointwise_batches": random_case(conv((3, 2, 2, 3), (1, 1))),
    "window_beyond_image": random_case(conv((1, 2, 3, 2), (5, 6))),
    "even_window": random_case(conv((1, 5, 5, 1), (2, 4))),
    "row_window": random_case(conv((1, 1, 9, 2), (1, 5))),
    "column_window": random_case(conv((1, 9, 1, 2), (5, 1))),
    "whole_image": random_case(conv((1, 4, 5, 2), (4, 5), padding=VALID)),
    "batches": random_case(conv((3, 4, 3, 2))),
    "batches_dilated": random_case(conv((2, 5, 5, 1), dilations=(2, 2))),
    "one_pixel": random_case(conv((1, 1, 1, 4))),
    "one_output": random_case(conv(outputs=1)),
    "many_channels": random_case(conv((1, 3, 3, 16), outputs=8)),
    "more_channels": random_case(conv((1, 3, 3, 17), outputs=5)),
    "odd_channels": random_case(conv((1, 4, 4, 5), outputs=7)),
    "odd_channels_pointwise": random_case(conv((1, 4, 3, 19), (1, 1), outputs=6)),
    "many_channels_pointwise": random_case(conv((1, 2, 3, 48), (1, 1), outputs=8)),
    "eight_outputs": random_case(conv((1, 4, 5, 3), outputs=8)),
    "eight_outputs_dilated": random_case(conv((1, 5, 5, 3), outputs=8, dilations=(2, 2))),
    "eight_outputs_dilated_valid": random_case(
        conv((1, 5, 5, 3), outputs=8, dilations=(2, 2), padding=VALID)
    ),
    "eight_outputs_of_column": random_case(conv((1, 4, 1, 3), outputs=8)),
    "eight_outputs_of_column_pointwise": random_case(conv((1, 3, 1, 24), (1, 1), outputs=8)),
    "many_outputs": random_case(conv((1, 4, 5, 3), outputs=24)),
    "four_outputs": random_case(conv((1, 4, 5, 3), outputs=4)),
    "four_outputs_dilated": random_case(conv((1, 5, 5, 3), outputs=4, dilations=(2, 2))),
    "four_outputs_pointwise": random_case(conv((1, 2, 3, 12), (1, 1), outputs=4)),
    "mixed_shifts": random_case(conv((1, 2, 3, 4), (1, 1), outputs=4, factor=0.3)),
    "large_bias_of_four": random_case(
        conv((1, 2, 3, 4), (1, 1), outputs=4, bias_size=3 * 2**29, factor=2.0**-12)
    ),
    "per_tensor": random_case(conv(is_per_axis=False)),
    "no_bias": random_case(conv(bias_size=None)),
    "large_bias": random_case(conv(bias_size=2**30, factor=2.0**-25)),
    "lowest_zero_point": random_case(conv(zero_points=(-128, 127))),
    "highest_zero_point": random_case(conv(zero_points=(127, -128))),
    **{
        f"activation_{activation.name.lower()}": random_case(conv(activation=activation))
        for activation in (Activation.RELU, Activation.RELU6, Activation.RELU_N1_TO_1)
    },
    "relu_at_lowest": random_case(conv((2, 5, 4, 3), outputs=5, **_LOWEST)),
    "relu_at_lowest_of_eight": random_case(conv((1, 4, 5, 3), outputs=8, **_LOWEST)),
    "relu_of_288_values": random_case(conv((1, 4, 5, 32), outputs=8, **_LOWEST)),
    "relu_of_256_channels": random_case(conv((1, 2, 3, 256), (1, 1), outputs=8, **_LOWEST)),
    "relu_of_long_shifts": random_case(
        conv(
            (1, 3, 5, 9),
            (1, 1),
            outputs=6,
            activation=Activation.RELU,
            zero_points=(3, -128),
            factor=0.65 * 2.0**-11,
            is_per_axis=False,
        )
    ),
    "relu_at_lowest_pointwise": random_case(
        conv((1, 3, 5, 9), (1, 1), outputs=6, activation=Activation.RELU6, zero_points=(3, -128))
    ),
    "clamped_to_one_value": random_case(conv(activation=Activation.RELU, zero_points=(0, 127))),
    "factor_above_1": every_value_case(identity(1.7)),
    "factor_40": every_value_case(identity(40.25)),
    "factor_2_20": every_value_case(identity(2.0**20)),
    "factor_small": random_case(conv(factor=2.0**-20)),
    "factor_vanishes": random_case(conv(factor=2.0**-40)),
    "ties_of_multiplication": every_value_case(identity(0.5)),
    "ties_of_both": every_value_case(identity(0.25)),
    "ties_of_shift": every_value_case(identity(0.0625)),
    "sums_wrap": random_case(wide((1, 4, 5, 7), (3, 2))),
    "sums_wrap_dilated": random_case(wide((1, 4, 5, 3), (3, 2), dilations=(2, 3))),
    "sums_wrap_pointwise": random_case(wide((1, 3, 3, 9), (1, 1), is_per_axis=False)),
    "sums_wrap_of_one_channel": random_case(wide((1, 6, 6, 1), (4, 4), zero_points=(-128, 0))),
    **{
        f"zero_point_wraps_{way}": every_value_case(
            wrapping_at_zero_point(
                conv(
                    (1, 8, 8, 1),
                    (1, 1),
                    outputs=1,
                    values=1,
                    is_per_axis=False,
                    zero_points=(0, point),
                )
            )
        )
        for way, point in (("up", 127), ("down", -128))
    },
    "multiplier_rounds_up_to_1": random_case(_ROUNDED_UP),
    "groups": random_case(conv((1, 5, 4, 6), outputs=9, groups=3)),
    "groups_of_one_channel": random_case(conv((1, 5, 4, 3), outputs=6, groups=3)),
    "groups_of_one_output": random_case(conv((2, 5, 4, 8), outputs=2, groups=2)),
    "groups_of_many_channels": random_case(conv((1, 3, 4, 38), outputs=2, groups=2)),
    "groups_pointwise": random_case(conv((2, 4, 3, 8), (1, 1), outputs=4, groups=2)),
    "groups_dilated": random_case(
        conv((1, 7, 8, 4), outputs=4, groups=2, strides=(2, 1), dilations=(2, 3))
    ),
    "groups_valid_per_tensor": random_case(
        conv((1, 6, 6, 4), outputs=6, groups=2, padding=VALID, is_per_axis=False, bias_size=None)
    ),
    "groups_ends": random_case(conv((1, 5, 4, 4), outputs=4, groups=2, zero_points=(-128, 127))),
    "sums_wrap_of_groups": random_case(wide((1, 4, 5, 4), (3, 2), groups=2)),
    "int4": random_case(conv((1, 5, 4, 3), bits=4)),
    "int4_even": random_case(conv((1, 5, 4, 4), outputs=4, bits=4, activation=Activation.RELU)),
    "int4_per_tensor": random_case(conv(is_per_axis=False, bias_size=None, bits=4)),
    "int4_pointwise": random_case(conv((2, 4, 3, 36), (1, 1), outputs=6, bits=4)),
    "int4_lowest": random_case(conv((1, 3, 5, 9), (1, 1), outputs=6, bits=4, **_LOWEST)),
    "int4_one_output": random_case(conv((1, 3, 5, 9), (1, 1), outputs=1, bits=4)),
    "int4_nine_outputs_pointwise": random_case(conv((2, 4, 3, 35), (1, 1), outputs=9, bits=4)),
    "int4_strides": random_case(conv((1, 6, 7, 4), (2, 2), outputs=8, strides=(2, 2), bits=4)),
    "int4_dilated": random_case(conv((1, 6, 7, 3), outputs=9, dilations=(2, 3), bits=4)),
    "int4_groups": random_case(conv((1, 5, 4, 6), outputs=6, groups=2, bits=4)),
    "int4_groups_of_one_channel": random_case(conv((1, 5, 4, 3), outputs=3, groups=3, bits=4)),
    "int4_ends": random_case(conv((1, 5, 4, 3), outputs=2, values=[-8, 7] * 27, bits=4)),
    "int4_zero_points": random_case(conv(outputs=9, zero_points=(127, -128), bits=4)),
    "sums_wrap_of_int4": random_case(wide((1, 4, 5, 3), (3, 2), bits=4)),
    "computed_sums_wrap": random_case(computed(wide((1, 4, 5, 3), (3, 2)), "weights")),
    "sixteen_channels": random_case(conv((1, 5, 8, 16), outputs=8)),
    "twenty_four_channels": random_case(conv((1, 4, 8, 24), outputs=4, padding=VALID)),
    **computed_cases(
        conv,
        groups={"image": (1, 5, 4, 6), "outputs": 4, "groups": 2},
        groups_of_one_channel={"image": (1, 5, 4, 3), "outputs": 6, "groups": 3},
    ),
}
_REAL = (
    *("same", "valid", "strides_2_valid", "dilations_2", "dilation_beyond_image", "pointwise"),
    *("no_bias", "window_beyond_image", "even_window", "batches_dilated", "more_channels"),
    *("groups", "activation_relu", "activation_relu6", "activation_relu_n1_to_1"),
)
CASES |= real_cases(CASES, (*_REAL, *COMPUTED_REALS))
CASES |= weighted_uint8_cases(CASES, _REAL, zero_points=(90, 255))
_INT16_TILES = ("eight_outputs", "eight_outputs_dilated", "many_channels_pointwise")
"""Those that tiles of cores take."""
_INT16 = (*_REAL, "groups_of_one_channel", *_INT16_TILES)
CASES |= int16_cases(CASES, _INT16, long=conv((1, 3, 3, 72), factor=2.0**-18))
_SHIFTED = (
    *("many_channels", "relu_at_lowest_of_eight", "many_channels_pointwise", "int4_strides"),
    *("eight_outputs_dilated", "relu_of_long_shifts", "groups", "int4_nine_outputs_pointwise"),
    *("int4", "groups_of_one_channel", "int4_groups_of_one_channel", "dilations_2", "int4_lowest"),
    *("relu_at_lowest", "eight_outputs", "uint8_same_90", "int4_dilated", "int4_even", "same"),
)
CASES.update({f"{name}_shifted": shifting(CASES[name]) for name in _SHIFTED})
CASES["outputs_beyond_a_byte_shifted"] = shifting(
    random_case(conv((1, 3, 3, 1), (2, 2), outputs=256, is_per_axis=False))
)

SAMPLES = (
    *("same", "real_same", "real_more_channels", "relu_at_lowest", "relu_of_long_shifts"),
    *("batches", "dilations_2", "batches_dilated", "sixteen_channels", "twenty_four_channels"),
    *("uint8_same_90", "int16_same", "int16_same_int32", "int16_same_wide", "int16_pointwise"),
    *("int16_pointwise_int32", "int16_pointwise_wide", "pointwise_batches", "many_channels"),
    *("more_channels", "many_channels_pointwise", "eight_outputs", "relu_at_lowest_of_eight"),
    *("relu_of_288_values", "relu_of_256_channels", "eight_outputs_dilated", "int4_lowest"),
    *("eight_outputs_dilated_valid", "eight_outputs_of_column", "many_outputs", "four_outputs"),
    *("eight_outputs_of_column_pointwise", "int4_zero_points", "int4_one_output"),
    *("four_outputs_dilated", "four_outputs_pointwise", "mixed_shifts", "int4_dilated", "groups"),
    *("int4", "int4_even_shifted", "computed_weights", "computed_bias", "computed_weights_bias"),
    *("int4_pointwise", "int4_nine_outputs_pointwise", "many_channels_pointwise_shifted"),
    *("real_computed_weights", "real_computed_bias", "real_computed_weights_bias", "factor_40"),
    *("many_channels_shifted", "relu_at_lowest_of_eight_shifted", "relu_at_lowest_shifted"),
    *(f"int16_{name}{bias}" for name in _INT16_TILES for bias in ("", "_int32")),
)
"""Cases between which every kernel is used."""

REJECTED = {
    **int16_rejected(conv()),
    **{name: wrong(conv()) for name, wrong in WRONG.items()},
    "window_does_not_fit": Rejected(
        with_options(conv((1, 2, 2, 2)), Padding=VALID),
        ("a window of 3x3 exceeds input tensor #0 'input'",),
    ),
    "bound_too_large": Rejected(
        with_tensor(conv(activation=Activation.RELU6, factor=2.0**-30), 3, scales=(2.0**-30,)),
        ("output tensor #3 'output' has scale 9.31323e-10, too small for a bound of 6",),
    ),
    "several_at_once": Rejected(
        with_options(with_tensor(conv(), 3, dtype="uint8"), FusedActivationFunction=5),
        ("output tensor #3 'output' is uint8, expected int8", "fused activation SIGN_BIT"),
    ),
}


@st.composite
def _models(draw: st.DrawFn) -> ModelSpec:
    geometry, groups = draw(windows(has_dilation=True)), draw(st.sampled_from((1, 1, 2, 3)))
    *sizes, channels = geometry["image"]
    geometry["image"] = (*sizes, channels * groups)
    how = {**draw(sums()), "bits": draw(BITS)}
    return conv(**geometry, outputs=draw(FEW) * groups, groups=groups, **how)


MODELS = _models().flatmap(maybe_computed) | real_models(_models()) | int16_models(_models())
MODELS |= weighted_uint8_models(_models())
