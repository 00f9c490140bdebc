"""Cases of CONV_2D: geometry, quantization, ties and what is refused."""

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
from tinyml_rules.ops._shared.cases.strategies import FEW, sums, windows
from tinyml_rules.ops._shared.cases.weighted import (
    WRAPPING_FACTOR,
    Image,
    Pair,
    Sums,
    Window,
    wrapping,
    wrapping_at_zero_point,
)
from tinyml_rules.ops._shared.spatial import Padding

SAME, VALID = Padding.SAME, Padding.VALID


def conv(
    image: Image = (1, 5, 4, 2),
    window: Pair = (3, 3),
    *,
    outputs: int = 3,
    padding: Padding = SAME,
    strides: Pair = (1, 1),
    dilations: Pair = (1, 1),
    **sums: Any,
) -> ModelSpec:
    """A convolution; `sums` are fields of `Sums`, pairs are (vertical, horizontal)."""
    how = Sums(**sums)
    move = Window(size=window, padding=padding, strides=strides, dilations=dilations)
    terms = window[0] * window[1] * image[3]
    return model_of(
        "CONV_2D",
        (
            how.source(image),
            *how.constants((outputs, *window, image[3]), axis=0, terms=terms),
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
    "odd_channels": random_case(conv((1, 4, 4, 5), outputs=7)),
    "odd_channels_pointwise": random_case(conv((1, 4, 3, 19), (1, 1), outputs=6)),
    "many_channels_pointwise": random_case(conv((1, 2, 3, 48), (1, 1), outputs=8)),
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
}


def _rejected(*errors: str, **changes: Any) -> Rejected:
    """The default convolution with changes to `tensor` number, or to options."""
    model = conv()
    if "tensor" in changes:
        return Rejected(with_tensor(model, changes.pop("tensor"), **changes), errors)
    return Rejected(with_options(model, **changes), errors)


SAMPLES = (
    "same",
    "batches",
    "dilations_2",
    "batches_dilated",
    "pointwise_batches",
    "many_channels",
    "mixed_shifts",
    "factor_40",
)
"""Cases between which every kernel is used."""

REJECTED = {
    "float_input": _rejected(
        "input tensor #0 'input' is float32, expected int8",
        tensor=0,
        dtype="float32",
        scales=(),
        zero_points=(),
    ),
    "uint8_output": _rejected(
        "output tensor #3 'output' is uint8, expected int8", tensor=3, dtype="uint8"
    ),
    "input_without_scale": _rejected(
        "input tensor #0 'input' has no scale and zero point", tensor=0, scales=(), zero_points=()
    ),
    "input_per_axis": _rejected(
        "input tensor #0 'input' is quantized per axis, expected per tensor",
        tensor=0,
        scales=(1.0, 2.0),
        zero_points=(0, 0),
        axis=3,
    ),
    "int16_weights": _rejected(
        "weights tensor #1 'weights' is int16, expected int8",
        tensor=1,
        dtype="int16",
        data=np.zeros((3, 3, 3, 2), np.int16),
    ),
    "computed_weights": _rejected(
        "weights tensor #1 'weights' is computed at run time, expected a constant",
        tensor=1,
        data=None,
    ),
    "weights_of_rank_2": _rejected(
        "weights tensor #1 'weights' has 2 dimensions, expected 4",
        tensor=1,
        shape=(3, 18),
    ),
    "weights_zero_point": _rejected(
        "weights tensor #1 'weights' has a zero point that is not 0",
        tensor=1,
        scales=(1.0,),
        zero_points=(1,),
    ),
    "weights_along_another_axis": _rejected(
        "weights tensor #1 'weights' has scales along axis 2, expected 0", tensor=1, axis=2
    ),
    "groups": _rejected(
        "weights tensor #1 'weights' takes 2 channels, but input tensor #0 'input' has 4",
        tensor=0,
        shape=(1, 5, 4, 4),
    ),
    "int64_bias": _rejected(
        "bias tensor #2 'bias' is int64, expected int32",
        tensor=2,
        dtype="int64",
        data=np.zeros(3, np.int64),
    ),
    "computed_bias": _rejected(
        "bias tensor #2 'bias' is computed at run time, expected a constant", tensor=2, data=None
    ),
    "short_bias": _rejected(
        "bias tensor #2 'bias' has 2 values, expected 3",
        tensor=2,
        shape=(2,),
        data=np.zeros(2, np.int32),
        scales=(1.0,),
        zero_points=(0,),
    ),
    "wrong_output_shape": _rejected(
        "output tensor #3 'output' has shape [1, 5, 4, 2], expected [1, 5, 4, 3]",
        tensor=3,
        shape=(1, 5, 4, 2),
    ),
    "input_of_rank_3": _rejected(
        "input tensor #0 'input' has 3 dimensions, expected 4", tensor=0, shape=(5, 4, 2)
    ),
    "window_does_not_fit": Rejected(
        with_options(conv((1, 2, 2, 2)), Padding=VALID),
        ("a window of 3x3 exceeds input tensor #0 'input'",),
    ),
    "tanh": _rejected("fused activation TANH", FusedActivationFunction=4),
    "unknown_activation": _rejected("fused activation 77", FusedActivationFunction=77),
    "unknown_padding": _rejected("padding 2, expected 0 (SAME) or 1 (VALID)", Padding=2),
    "stride_0": _rejected("window sizes, strides and dilations have to be at least 1", StrideW=0),
    "negative_dilation": _rejected(
        "window sizes, strides and dilations have to be at least 1", DilationHFactor=-1
    ),
    "factor_too_large": _rejected(
        "output tensor #3 'output' has scale 1e-30, too small for the inputs' 0.00153452",
        tensor=3,
        scales=(1e-30,),
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
    return conv(**draw(windows(has_dilation=True)), outputs=draw(FEW), **draw(sums()))


MODELS = _models()
