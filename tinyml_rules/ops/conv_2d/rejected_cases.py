"""What is refused of CONV_2D: changes to a model of five rows, four columns, two channels, a window
of 3x3 and three outputs."""

from __future__ import annotations

import numpy as np

from tinyml_rules.ops._shared.cases.case import wrong

WRONG = {
    "float_input": wrong(
        "input tensor #0 'input' is float32, expected int8",
        tensor=0,
        dtype="float32",
        scales=(),
        zero_points=(),
    ),
    "uint8_output": wrong(
        "output tensor #3 'output' is uint8, expected int8", tensor=3, dtype="uint8"
    ),
    "input_without_scale": wrong(
        "input tensor #0 'input' has no scale and zero point", tensor=0, scales=(), zero_points=()
    ),
    "input_per_axis": wrong(
        "input tensor #0 'input' is quantized per axis, expected per tensor",
        tensor=0,
        scales=(1.0, 2.0),
        zero_points=(0, 0),
        axis=3,
    ),
    "int16_weights": wrong(
        "weights tensor #1 'weights' is int16, expected int8 or int4",
        tensor=1,
        dtype="int16",
        data=np.zeros((3, 3, 3, 2), np.int16),
    ),
    "weights_of_rank_2": wrong(
        "weights tensor #1 'weights' has 2 dimensions, expected 4",
        tensor=1,
        shape=(3, 18),
    ),
    "weights_zero_point": wrong(
        "weights tensor #1 'weights' has a zero point that is not 0",
        tensor=1,
        scales=(1.0,),
        zero_points=(1,),
    ),
    "weights_along_another_axis": wrong(
        "weights tensor #1 'weights' has scales along axis 2, expected 0", tensor=1, axis=2
    ),
    "channels_that_do_not_divide": wrong(
        "weights tensor #1 'weights' takes 2 channels, expected a divisor of the 5 "
        "of input tensor #0 'input'",
        tensor=0,
        shape=(1, 5, 4, 5),
    ),
    "weights_of_more_channels": wrong(
        "weights tensor #1 'weights' takes 2 channels, expected a divisor of the 1 "
        "of input tensor #0 'input'",
        tensor=0,
        shape=(1, 5, 4, 1),
    ),
    "outputs_that_do_not_divide": wrong(
        "weights tensor #1 'weights' has 3 outputs, expected a multiple of 2: "
        "it takes 2 of 4 channels, which makes so many groups",
        tensor=0,
        shape=(1, 5, 4, 4),
    ),
    "computed_int4_weights": wrong(
        "weights tensor #1 'weights' is computed at run time, expected a constant",
        tensor=1,
        dtype="int4",
        data=None,
    ),
    "int64_bias": wrong(
        "bias tensor #2 'bias' is int64, expected int32",
        tensor=2,
        dtype="int64",
        data=np.zeros(3, np.int64),
    ),
    "short_bias": wrong(
        "bias tensor #2 'bias' has 2 values, expected 3",
        tensor=2,
        shape=(2,),
        data=np.zeros(2, np.int32),
        scales=(1.0,),
        zero_points=(0,),
    ),
    "wrong_output_shape": wrong(
        "output tensor #3 'output' has shape [1, 5, 4, 2], expected [1, 5, 4, 3]",
        tensor=3,
        shape=(1, 5, 4, 2),
    ),
    "input_of_rank_3": wrong(
        "input tensor #0 'input' has 3 dimensions, expected 4", tensor=0, shape=(5, 4, 2)
    ),
    "tanh": wrong("fused activation TANH", FusedActivationFunction=4),
    "unknown_activation": wrong("fused activation 77", FusedActivationFunction=77),
    "unknown_padding": wrong("padding 2, expected 0 (SAME) or 1 (VALID)", Padding=2),
    "stride_0": wrong("window sizes, strides and dilations have to be at least 1", StrideW=0),
    "negative_dilation": wrong(
        "window sizes, strides and dilations have to be at least 1", DilationHFactor=-1
    ),
    "factor_too_large": wrong(
        "output tensor #3 'output' has scale 1e-30, too small for the inputs' 0.00153452",
        tensor=3,
        scales=(1e-30,),
    ),
}
