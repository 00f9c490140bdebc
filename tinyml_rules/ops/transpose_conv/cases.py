"""Cases of TRANSPOSE_CONV: geometry, phases without taps, quantization and what is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import strategies as st

from tinyml_rules.arithmetic.fixed_point import INT32_MAX, INT32_MIN, Activation
from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.case import (
    Case,
    Rejected,
    int32s,
    model_of,
    random,
    random_case,
    with_options,
    with_tensor,
)
from tinyml_rules.ops._shared.cases.reals import real_cases
from tinyml_rules.ops._shared.cases.strategies import ACTIVATIONS, FEW, PAIRS, sums
from tinyml_rules.ops._shared.cases.uint8 import uint8_cases
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
CASES |= uint8_cases(CASES, ("same", "batches", "many_channels"))


def in_16_bits(model: ModelSpec, *, bias: str = "int64", times: int = 2**8) -> ModelSpec:
    """The model with int16 for int8 and zero points of 0, and a bias of this type, so many `times`
    as large."""
    result = len(model.tensors) - 1
    for index in (2, result):
        model = with_tensor(model, index, dtype="int16", zero_points=(0,))
    if result == 3:
        return model
    limits = np.iinfo(bias)
    values = np.asarray(model.tensors[3].data, np.int64) * times
    return with_tensor(
        model, 3, dtype=bias, data=np.clip(values, limits.min, limits.max).astype(bias)
    )


def _of_large_bias(model: ModelSpec) -> ModelSpec:
    """With a bias beyond 32 bits, and outputs of so large a scale that it does not fill them."""
    (scale,) = model.tensors[-1].scales
    return with_tensor(in_16_bits(model, times=2**20), 4, scales=(scale * 2**10,))


def _long(sign: int) -> Case:
    """Weights at an end, so that products alone leave 32 bits."""
    model = in_16_bits(transpose_conv((1, 1, 2, 90), (4, 4), strides=(1, 2), factor=2.0**-9))
    data = np.full(model.tensors[1].shape, 127 * sign, np.int8)
    return random_case(with_tensor(model, 1, data=data))


_IN_16_BITS = (
    *("same", "valid", "stride_across_3", "stride_beyond_window_valid", "larger_output_valid"),
    *("stride_of_one_row", "even_window", "window_beyond_image", "batches", "odd_channels"),
    *("per_tensor", "no_bias", "activation_relu", "activation_relu6", "factor_small"),
)
CASES |= {f"int16_{name}": random_case(in_16_bits(CASES[name].model)) for name in _IN_16_BITS}
CASES |= {
    **{
        f"int16_{name}_bias_int16": random_case(in_16_bits(CASES[name].model, bias="int16"))
        for name in ("same", "batches", "per_tensor")
    },
    **{
        f"int16_{name}_wide": random_case(_of_large_bias(CASES[name].model))
        for name in ("same", "stride_beyond_window", "per_tensor")
    },
    # a multiplier of 16 bits that would be 2^15: TFLM takes 2^15 - 1
    "int16_highest_multiplier": random_case(
        in_16_bits(transpose_conv(is_per_axis=False, factor=2.0**-7 * (1 - 2.0**-18)))
    ),
    "int16_ties": random_case(
        in_16_bits(transpose_conv((1, 8, 8, 1), (1, 1), outputs=1, factor=0.25, values=1))
    ),
    "int16_long_of_most": _long(1),
    "int16_long_of_least": _long(-1),
    "computed_shape": random_case(with_tensor(transpose_conv(), 0, data=None)),
    "int16_computed_shape": random_case(with_tensor(in_16_bits(transpose_conv()), 0, data=None)),
}
SAMPLES = (
    *("same", "batches", "many_channels", "relu_at_lowest", "real_same"),
    *("real_many_channels", "int16_same", "int16_long_of_most"),
)


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

_OF_INT16 = in_16_bits(transpose_conv())
REJECTED |= {
    "int16_zero_point": Rejected(
        with_tensor(_OF_INT16, 2, zero_points=(1,)),
        ("input tensor #2 'input' has zero point 1, expected 0",),
    ),
    "int16_bias_int32": Rejected(
        in_16_bits(transpose_conv(), bias="int32"),
        ("bias tensor #3 'bias' is int32, expected int64 or int16",),
    ),
    "int16_to_int8": Rejected(
        with_tensor(_OF_INT16, 4, dtype="int8"),
        ("output tensor #4 'output' is int8, expected int16",),
    ),
    "int16_large_bias": Rejected(
        with_tensor(_OF_INT16, 3, data=np.full(3, 2**46 + 1, np.int64)),
        ("bias tensor #3 'bias' has the value 70368744177665, expected at most 2^46 in size",),
    ),
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


@st.composite
def _models_in_16_bits(draw: st.DrawFn) -> Case:
    """The same with int16, with inputs at both ends more often than not."""
    bias, times = draw(st.sampled_from(("int64", "int16"))), draw(st.sampled_from((1, 2**8, 2**17)))
    case = random_case(in_16_bits(draw(_models()), bias=bias, times=times))
    (values,) = case.samples
    generator = random(7)
    ends = generator.choice(np.array([-32768, 32767, 0], np.int16), values.shape)
    mixed = np.where(generator.integers(0, 3, values.shape) > 0, ends, values)
    return replace(case, samples=(np.concatenate([values, mixed]),))


MODELS = st.one_of(_models(), _models_in_16_bits())
