"""Cases of TRANSPOSE_CONV: geometry, phases without taps, quantization and what is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import strategies as st

from tinyml_rules.arithmetic.fixed_point import INT32_MAX, INT32_MIN, Activation
from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.case import (
    Rejected,
    int32s,
    model_of,
    random_case,
    with_options,
    with_tensor,
)
from tinyml_rules.ops._shared.cases.reals import real_cases
from tinyml_rules.ops._shared.cases.strategies import ACTIVATIONS, FEW, PAIRS, sums
from tinyml_rules.ops._shared.cases.weighted import WRAPPING_FACTOR, Image, Pair, Sums
from tinyml_rules.ops._shared.spatial import Padding

SAME, VALID = Padding.SAME, Padding.VALID


def transpose_conv(
    image: Image = (1, 3, 4, 2),
    window: Pair = (3, 3),
    *,
    outputs: int = 3,
    padding: Padding = SAME,
    strides: Pair = (2, 2),
    less: Pair = (0, 0),
    **how: Any,
) -> ModelSpec:
    """`how` are fields of `Sums`, pairs are (vertical, horizontal); `less`: how many rows and
    columns fewer the output has than it could."""
    of_sums = Sums(**how)
    most = [
        inputs * stride + (size - 1 if padding is VALID else 0)
        for inputs, stride, size in zip(image[1:3], strides, window, strict=True)
    ]
    shape = (image[0], most[0] - less[0], most[1] - less[1], outputs)
    terms = window[0] * window[1] * image[3]
    weights, bias = of_sums.constants((outputs, *window, image[3]), axis=0, terms=terms)
    return model_of(
        "TRANSPOSE_CONV",
        (
            int32s("shape", shape),
            weights,
            of_sums.source(image),
            *(() if bias is None else (bias,)),
        ),
        of_sums.result(shape),
        options={
            "Padding": padding,
            "StrideH": strides[0],
            "StrideW": strides[1],
            "FusedActivationFunction": of_sums.activation,
        },
        version=4,
    )


def wide(image: Image, window: Pair, **changes: Any) -> ModelSpec:
    """Six outputs whose sums wrap: biases are at both ends of int32 in turn."""
    model = transpose_conv(image, window, outputs=6, factor=WRAPPING_FACTOR, **changes)
    ends = np.where(np.arange(6) % 2, INT32_MIN + 70, INT32_MAX - 50).astype(np.int32)
    return with_tensor(model, 3, data=ends)


CASES = {
    "same": random_case(transpose_conv()),
    "relu_at_lowest": random_case(
        transpose_conv(activation=Activation.RELU, zero_points=(-128, -128))
    ),
    "valid": random_case(transpose_conv(padding=VALID, less=(1, 1))),
    "strides_1": random_case(transpose_conv(strides=(1, 1))),
    "strides_1_valid": random_case(transpose_conv(strides=(1, 1), padding=VALID)),
    "stride_down_3": random_case(transpose_conv(strides=(3, 1))),
    "stride_across_3": random_case(transpose_conv(strides=(1, 3))),
    "strides_of_the_window": random_case(transpose_conv(window=(2, 2))),
    "stride_beyond_window": random_case(transpose_conv(window=(1, 2), strides=(3, 4))),
    "stride_beyond_window_valid": random_case(
        transpose_conv(window=(2, 1), strides=(3, 4), padding=VALID)
    ),
    "stride_of_one_row": random_case(transpose_conv((1, 1, 2, 2), strides=(7, 3), less=(2, 1))),
    "smaller_output": random_case(transpose_conv(less=(1, 1))),
    "larger_output_valid": random_case(transpose_conv(padding=VALID)),
    "even_window": random_case(transpose_conv(window=(2, 4))),
    "large_window": random_case(transpose_conv(window=(5, 6))),
    "window_beyond_image": random_case(transpose_conv((1, 1, 2, 2), (5, 7))),
    "one_pixel": random_case(transpose_conv((1, 1, 1, 4))),
    "one_output": random_case(transpose_conv(outputs=1)),
    "batches": random_case(transpose_conv((3, 2, 3, 2))),
    "many_channels": random_case(transpose_conv((1, 3, 3, 16), outputs=8)),
    "odd_channels": random_case(transpose_conv((1, 3, 3, 5), outputs=7)),
    "per_tensor": random_case(transpose_conv(is_per_axis=False)),
    "no_bias": random_case(transpose_conv(bias_size=None)),
    "large_bias": random_case(transpose_conv(bias_size=2**30, factor=2.0**-25)),
    "lowest_zero_point": random_case(transpose_conv(zero_points=(-128, 127))),
    "highest_zero_point": random_case(transpose_conv(zero_points=(127, -128))),
    **{
        f"activation_{activation.name.lower()}": random_case(transpose_conv(activation=activation))
        for activation in (Activation.RELU, Activation.RELU6, Activation.RELU_N1_TO_1)
    },
    "factor_40": random_case(transpose_conv((1, 2, 2, 1), (1, 1), factor=40.25)),
    "factor_small": random_case(transpose_conv(factor=2.0**-20)),
    "ties_of_both": random_case(
        transpose_conv((1, 8, 8, 1), (1, 1), outputs=1, factor=0.25, values=1)
    ),
    "mixed_shifts": random_case(transpose_conv((1, 2, 3, 4), outputs=4, factor=0.3)),
    "shifted": random_case(transpose_conv(is_per_axis=False, factor=2.0**-9)),
    "shifted_relu_at_lowest": random_case(
        transpose_conv(
            is_per_axis=False,
            factor=2.0**-8,
            activation=Activation.RELU,
            zero_points=(-128, -128),
        )
    ),
    "sums_wrap": random_case(wide((1, 3, 3, 7), (3, 2))),
    "sums_wrap_per_tensor": random_case(wide((1, 3, 3, 5), (3, 3), is_per_axis=False)),
}
CASES |= real_cases(
    CASES,
    ("same", "batches", "many_channels", "no_bias", "activation_relu6"),
)
SAMPLES = ("same", "batches", "many_channels", "relu_at_lowest", "real_same")


def _rejected(*errors: str, **changes: Any) -> Rejected:
    """The default node with changes to `tensor` number, or to options."""
    model = transpose_conv()
    if "tensor" in changes:
        return Rejected(with_tensor(model, changes.pop("tensor"), **changes), errors)
    return Rejected(with_options(model, **changes), errors)


REJECTED = {
    "another_shape": _rejected(
        "shape tensor #0 'shape' has [1, 6, 7, 3], expected [1, 6, 8, 3]",
        tensor=0,
        data=np.array([1, 6, 7, 3], np.int32),
    ),
    "another_input": _rejected(
        "input tensor #2 'input' has shape [1, 4, 4, 2], expected [1, 3, 4, 2]: that of a "
        "convolution over output tensor #4 'output'",
        tensor=2,
        shape=(1, 4, 4, 2),
    ),
    "another_output": Rejected(
        replace(
            with_tensor(
                with_tensor(transpose_conv(), 4, shape=(1, 6, 8, 5)),
                0,
                data=np.array([1, 6, 8, 5], np.int32),
            )
        ),
        ("output tensor #4 'output' has 5 channels, expected 3",),
    ),
    "no_stride": _rejected("stride 0, expected at least 1", StrideH=0),
    "stride_beyond_int16": _rejected(
        "stride 40000, expected at most 32767: TFLM counts in 16 bits", StrideW=40_000
    ),
    "padding_2": _rejected("padding 2, expected 0 (SAME) or 1 (VALID)", Padding=2),
    "tanh": _rejected("fused activation TANH", FusedActivationFunction=Activation.TANH),
}


@st.composite
def _models(draw: st.DrawFn) -> ModelSpec:
    strides, window = draw(PAIRS), draw(PAIRS)
    less = tuple(draw(st.integers(0, stride - 1)) for stride in strides)
    image = (draw(st.integers(1, 2)), draw(FEW), draw(FEW), draw(FEW))
    return transpose_conv(
        image,
        window,
        outputs=draw(FEW),
        padding=draw(st.sampled_from(Padding)),
        strides=strides,
        less=(less[0], less[1]),
        activation=draw(ACTIVATIONS),
        **draw(sums()),
    )


MODELS = _models()
