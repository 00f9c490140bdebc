"""What is refused of CONV_2D: changes to a model of five rows, four columns, two channels, a window
of 3x3 and three outputs."""

from __future__ import annotations

from tinyml_rules.ops._shared.cases.case import wrong

WRONG = {
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
    "wrong_output_shape": wrong(
        "output tensor #3 'output' has shape [1, 5, 4, 2], expected [1, 5, 4, 3]",
        tensor=3,
        shape=(1, 5, 4, 2),
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
