"""Cases of DEPTHWISE_CONV_2D: geometry, depth multipliers, quantization, ties, what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
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
from tinyml_rules.ops._shared.cases.int16x8 import (
    in_16_bits,
    int16_cases,
    int16_models,
    int16_rejected,
)
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
)
from tinyml_rules.ops._shared.spatial import Padding

SAME, VALID = Padding.SAME, Padding.VALID
_ZEROS = np.array(
    [
        (0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0),
        (0, 0, 0, 0, 5, 5, 5, 5, 0, 0, 0, 0),
        (0, 0, 0, 0, -128, -128, -128, -128, 127, 127, 127, 127),
        (0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0),
    ]
)
"""Of four rows: four channels without a weight, four whose last weight is in the third row, and
four whose first one is."""


def depthwise(
    image: Image = (1, 5, 4, 3),
    window: Pair = (3, 3),
    *,
    depth_multiplier: int = 1,
    padding: Padding = SAME,
    strides: Pair = (1, 1),
    dilations: Pair = (1, 1),
    **sums: Any,
) -> ModelSpec:
    """A depthwise convolution; `sums` are fields of `Sums`, pairs are (vertical, horizontal)."""
    how = Sums(**sums)
    move = Window(size=window, padding=padding, strides=strides, dilations=dilations)
    outputs = image[3] * depth_multiplier
    weights, biases = how.constants((1, *window, outputs), axis=3, terms=window[0] * window[1])
    # a bias that is named as left out (-1) crashes TFLM
    operands = [how.source(image), weights] + ([] if biases is None else [biases])
    return model_of(
        "DEPTHWISE_CONV_2D",
        operands,
        how.result(move.output_shape(image, channels=outputs)),
        options={**move.options(how.activation), "DepthMultiplier": depth_multiplier},
        version=3,
    )


def identity(factor: float) -> ModelSpec:
    """A 1x1 window whose sums are the input's own 64 values."""
    image = (1, 4, 4, 4)
    how: dict[str, Any] = {
        "values": [1] * 4,
        "is_per_axis": False,
        "zero_points": (0, 0),
        "bias_size": 0,
    }
    return depthwise(image, (1, 1), factor=factor, **how)


CASES = {
    "same": random_case(depthwise()),
    "valid": random_case(depthwise(padding=VALID)),
    "strides_2": random_case(depthwise((1, 6, 7, 2), strides=(2, 2))),
    "strides_2_valid": random_case(depthwise((1, 6, 7, 2), strides=(2, 2), padding=VALID)),
    "stride_down_3": random_case(depthwise((1, 7, 4, 2), strides=(3, 1))),
    "stride_across_3": random_case(depthwise((1, 4, 7, 2), strides=(1, 3))),
    "dilations_2": random_case(depthwise((1, 6, 6, 2), dilations=(2, 2))),
    "dilations_2_valid": random_case(depthwise((1, 6, 6, 2), dilations=(2, 2), padding=VALID)),
    "dilations_3_and_2": random_case(depthwise((1, 8, 7, 2), dilations=(3, 2))),
    "dilation_beyond_image": random_case(depthwise((1, 3, 3, 2), dilations=(4, 4))),
    "dilation_32767": random_case(depthwise(dilations=(32_767, 32_767))),
    "dilation_over_the_image": random_case(depthwise((1, 4, 5, 2), (2, 2), dilations=(9, 32_767))),
    "dilation_over_half": random_case(
        depthwise((1, 6, 7, 2), (2, 4), dilations=(5, 6), strides=(2, 1))
    ),
    "stride_beyond_int16": random_case(depthwise(strides=(40_000, 50_000))),
    "dilations_and_strides": random_case(depthwise((1, 7, 8, 2), strides=(2, 3), dilations=(2, 2))),
    "one_channel": random_case(depthwise((1, 7, 8, 1), strides=(2, 3), dilations=(2, 2))),
    "one_channel_valid": random_case(depthwise((1, 6, 8, 1), (3, 4), padding=VALID)),
    "depth_multiplier_2": random_case(depthwise(depth_multiplier=2)),
    "depth_multiplier_3_valid": random_case(
        depthwise((1, 5, 5, 2), depth_multiplier=3, strides=(2, 2), padding=VALID)
    ),
    "depth_multiplier_8_of_one_channel": random_case(depthwise((1, 4, 4, 1), depth_multiplier=8)),
    "pointwise": random_case(depthwise((1, 4, 3, 5), (1, 1))),
    "window_beyond_image": random_case(depthwise((1, 2, 3, 2), (5, 6))),
    "wide_window": random_case(depthwise((1, 8, 9, 2), (8, 9))),
    "extreme": random_case(
        depthwise((1, 6, 6, 2), (6, 6), values=[-128, 127] * 36, factor=2.0**-12)
    ),
    "even_window": random_case(depthwise((1, 5, 5, 2), (2, 4))),
    "window_5x5": random_case(depthwise((1, 6, 9, 6), (5, 5))),
    "row_window": random_case(depthwise((1, 1, 9, 2), (1, 5))),
    "column_window": random_case(depthwise((1, 9, 1, 2), (5, 1))),
    "whole_image": random_case(depthwise((1, 4, 5, 2), (4, 5), padding=VALID)),
    "batches": random_case(depthwise((3, 4, 3, 2))),
    "six_channels": random_case(depthwise((1, 5, 4, 6), strides=(2, 1))),
    "six_channels_dilated": random_case(depthwise((1, 5, 5, 6), dilations=(2, 2))),
    "many_channels": random_case(depthwise((1, 3, 3, 16))),
    "many_channels_wide": random_case(depthwise((1, 3, 9, 16))),
    "many_channels_of_column": random_case(depthwise((1, 5, 1, 16), (3, 1))),
    "one_column": random_case(depthwise((1, 5, 1, 8), (5, 1), padding=VALID)),
    "one_column_as_high_as_deep": random_case(depthwise((1, 8, 1, 8), (8, 1), padding=VALID)),
    "one_column_of_three": random_case(
        depthwise(
            (1, 8, 1, 12), (3, 1), padding=VALID, strides=(2, 1), dilations=(3, 1), factor=0.3
        )
    ),
    "one_column_with_zeros": random_case(
        depthwise((1, 4, 1, 12), (4, 1), padding=VALID, values=[*_ZEROS.reshape(-1)])
    ),
    "four_channels_wide": random_case(depthwise((1, 4, 9, 4))),
    "four_channels_of_mixed_shifts": random_case(depthwise((1, 4, 4, 4), factor=0.3)),
    "four_channels_large_bias": random_case(
        depthwise((1, 3, 3, 4), bias_size=3 * 2**29, factor=2.0**-12)
    ),
    "four_channels_strided": random_case(depthwise((1, 5, 8, 4), strides=(1, 2))),
    "five_channels_strided": random_case(
        depthwise((2, 6, 7, 5), strides=(2, 2), activation=Activation.RELU6)
    ),
    "two_rows_wide": random_case(depthwise((1, 2, 17, 4), zero_points=(127, 3))),
    "eight_channels_strided": random_case(depthwise((1, 5, 11, 8), strides=(1, 2))),
    "four_channels_dilated": random_case(depthwise((1, 5, 9, 4), dilations=(1, 2))),
    "twelve_channels_dilated": random_case(depthwise((1, 6, 9, 12), dilations=(2, 2))),
    "lowest_weights": random_case(depthwise((1, 3, 5, 8), values=np.full(72, -128))),
    "per_tensor": random_case(depthwise(is_per_axis=False)),
    "no_bias": random_case(depthwise(bias_size=None)),
    "large_bias": random_case(depthwise(bias_size=2**30, factor=2.0**-25)),
    "lowest_zero_point": random_case(depthwise(zero_points=(-128, 127))),
    "highest_zero_point": random_case(depthwise(zero_points=(127, -128))),
    **{
        f"activation_{activation.name.lower()}": random_case(depthwise(activation=activation))
        for activation in (Activation.RELU, Activation.RELU6, Activation.RELU_N1_TO_1)
    },
    "relu_at_lowest": random_case(
        depthwise((1, 5, 4, 8), activation=Activation.RELU, zero_points=(-128, -128))
    ),
    "sums_wrap": random_case(wrapping(depthwise(factor=WRAPPING_FACTOR))),
    "sums_wrap_of_fours": random_case(wrapping(depthwise((1, 4, 5, 4), factor=WRAPPING_FACTOR))),
    "sums_wrap_of_eights": random_case(wrapping(depthwise((1, 4, 5, 8), factor=WRAPPING_FACTOR))),
    "sums_wrap_of_many_taps": random_case(
        wrapping(depthwise((1, 9, 9, 2), (9, 8), depth_multiplier=2, factor=WRAPPING_FACTOR))
    ),
    "no_bias_per_tensor_of_batches": random_case(
        depthwise((3, 4, 3, 4), bias_size=None, is_per_axis=False)
    ),
    "int4": random_case(depthwise(bits=4)),
    "int4_even": random_case(depthwise((2, 5, 4, 8), bits=4, activation=Activation.RELU)),
    "int4_per_tensor": random_case(depthwise(is_per_axis=False, bias_size=None, bits=4)),
    "int4_depth_multiplier": random_case(
        depthwise((1, 6, 7, 3), (2, 3), depth_multiplier=3, strides=(2, 2), padding=VALID, bits=4)
    ),
    "int4_dilated": random_case(depthwise((1, 6, 7, 3), dilations=(2, 3), bits=4)),
    "int4_of_one_channel": random_case(depthwise((1, 4, 4, 1), depth_multiplier=5, bits=4)),
    "int4_ends": random_case(depthwise((1, 5, 4, 5), values=[-8, 7, -8, 7, 0] * 9, bits=4)),
    "int4_zero_points": random_case(depthwise(zero_points=(127, -128), bits=4)),
    "sums_wrap_of_int4": random_case(wrapping(depthwise(factor=WRAPPING_FACTOR, bits=4))),
    "computed_sums_wrap": random_case(
        computed(wrapping(depthwise(factor=WRAPPING_FACTOR)), "weights")
    ),
    **computed_cases(depthwise, depth_multiplier={"image": (1, 5, 4, 2), "depth_multiplier": 3}),
    "factor_above_1": every_value_case(identity(1.7)),
    "factor_40": every_value_case(identity(40.25)),
    "factor_small": random_case(depthwise(factor=2.0**-20)),
    "factor_vanishes": random_case(depthwise(factor=2.0**-40)),
    "ties_of_multiplication": every_value_case(identity(0.5)),
    "ties_of_both": every_value_case(identity(0.25)),
    "ties_of_shift": every_value_case(identity(0.0625)),
}
_SHIFTED = (
    *("batches", "relu_at_lowest", "depth_multiplier_8_of_one_channel", "four_channels_strided"),
    *("one_channel", "five_channels_strided", "many_channels_of_column", "int4"),
    *("int4_of_one_channel", "wide_window", "one_channel_valid", "int4_zero_points", "same"),
    *("lowest_weights", "one_column", "window_5x5"),
)
CASES.update({f"{name}_shifted": shifting(CASES[name]) for name in _SHIFTED})


def _rejected(*errors: str, **changes: Any) -> Rejected:
    """The default convolution with changes to `tensor` number, or to options."""
    model = depthwise()
    if "tensor" in changes:
        return Rejected(with_tensor(model, changes.pop("tensor"), **changes), errors)
    return Rejected(with_options(model, **changes), errors)


_REAL = (
    *("same", "valid", "strides_2_valid", "dilations_2", "dilation_beyond_image", "one_channel"),
    *("depth_multiplier_3_valid", "depth_multiplier_8_of_one_channel", "pointwise", "batches"),
    *("window_beyond_image", "row_window", "five_channels_strided", "no_bias"),
)
CASES |= real_cases(CASES, (*_REAL, *COMPUTED_REALS))
_LONG = depthwise((1, 1, 600, 2), (1, 600), padding=VALID, factor=2.0**-18)
CASES |= int16_cases(CASES, _REAL, long=_LONG, biases=("int64",))
CASES |= weighted_uint8_cases(CASES, _REAL, zero_points=(90, 255))
CASES["uint8_same_90_shifted"] = shifting(CASES["uint8_same_90"])

SAMPLES = (
    "uint8_same_90",
    *("real_same", "real_five_channels_strided", "int16_same", "int16_same_wide"),
    "relu_at_lowest",
    "one_column_with_zeros",
    "many_channels",
    "many_channels_wide",
    "many_channels_of_column",
    "batches",
    "wide_window",
    "window_5x5",
    "four_channels_wide",
    "four_channels_strided",
    "eight_channels_strided",
    "four_channels_dilated",
    "int4",
    "computed_weights",
    "computed_bias",
    "computed_weights_bias",
    *("real_computed_weights", "real_computed_bias", "real_computed_weights_bias"),
    *("relu_at_lowest_shifted", "many_channels_of_column_shifted"),
)
"""Cases between which every kernel is used."""

REJECTED = {
    **int16_rejected(depthwise()),
    "int16_with_bias_of_int32": Rejected(
        in_16_bits(depthwise(), bias="int32"),
        ("bias tensor #2 'bias' is int32, expected int64",),
    ),
    "several_windows": _rejected(
        "weights tensor #1 'weights' has shape [3, 1, 3, 3], expected 1 as the first",
        tensor=1,
        shape=(3, 1, 3, 3),
    ),
    "depth_multiplier": _rejected(
        "weights tensor #1 'weights' has 3 channels, expected 6: "
        "3 of the input times a depth multiplier of 2",
        DepthMultiplier=2,
    ),
    "wrong_output_shape": _rejected(
        "output tensor #3 'output' has shape [1, 4, 5, 3], expected [1, 5, 4, 3]",
        tensor=3,
        shape=(1, 4, 5, 3),
    ),
    "tanh": _rejected("fused activation TANH", FusedActivationFunction=4),
    "stride_0": _rejected("window sizes, strides and dilations have to be at least 1", StrideH=0),
    "factor_too_large": _rejected(
        "output tensor #3 'output' has scale 1e-30, too small for the inputs' 0.00217014",
        tensor=3,
        scales=(1e-30,),
    ),
}


@st.composite
def _models(draw: st.DrawFn) -> ModelSpec:
    geometry = draw(windows(has_dilation=True))
    how = {**draw(sums()), "bits": draw(BITS)}
    return depthwise(**geometry, depth_multiplier=draw(FEW), **how)


MODELS = (
    _models().flatmap(maybe_computed)
    | real_models(_models())
    | int16_models(_models(), biases=("int64",))
    | weighted_uint8_models(_models())
)
