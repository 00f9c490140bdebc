"""What is refused of FULLY_CONNECTED of integers: changes to a layer of ten inputs, six outputs."""

from __future__ import annotations

import numpy as np

from tinyml_rules.ops._shared.cases.case import wrong

WRONG = {
    "hybrid": wrong(
        "input tensor #0 'input' is float32, expected int8",
        tensor=0,
        dtype="float32",
        scales=(),
        zero_points=(),
    ),
    "int16_output": wrong(
        "output tensor #3 'output' is int16, expected int8", tensor=3, dtype="int16"
    ),
    "weights_without_scale": wrong(
        "weights tensor #1 'weights' has no scale", tensor=1, scales=(), zero_points=()
    ),
    "computed_int4_weights": wrong(
        "weights tensor #1 'weights' is computed at run time, expected a constant",
        tensor=1,
        dtype="int4",
        data=None,
    ),
    "int16_weights": wrong(
        "weights tensor #1 'weights' is int16, expected int8 or int4",
        tensor=1,
        dtype="int16",
        data=np.zeros((6, 10), np.int16),
    ),
    "variable_weights": wrong(
        "weights tensor #1 'weights' is a variable, which is not supported",
        tensor=1,
        data=None,
        is_variable=True,
    ),
    "computed_bias_of_another_scale": wrong(
        "bias tensor #2 'bias' has scale 1 for output 0, expected 0.00131762, "
        "the product of the scales of input and weights",
        tensor=2,
        data=None,
        scales=(1.0,),
    ),
    "long_computed_bias": wrong(
        "bias tensor #2 'bias' has 7 values, expected 6", tensor=2, shape=(7,), data=None
    ),
    "weights_along_another_axis": wrong(
        "weights tensor #1 'weights' has scales along axis 1, expected 0",
        tensor=1,
        scales=(1.0,) * 10,
        zero_points=(0,) * 10,
        axis=1,
    ),
    "weights_of_rank_1": wrong(
        "weights tensor #1 'weights' has 1 dimensions, expected 2", tensor=1, shape=(60,)
    ),
    "shuffled_weights": wrong(
        "weights format 1, expected the default row-major format", WeightsFormat=1
    ),
    "input_that_does_not_divide": wrong(
        "input tensor #0 'input' has 15 values, "
        "expected a multiple of the 10 that weights tensor #1 'weights' takes",
        tensor=0,
        shape=(1, 15),
    ),
    "output_of_another_size": wrong(
        "output tensor #3 'output' has shape [2, 6], expected 1 vectors of 6",
        tensor=3,
        shape=(2, 6),
    ),
    "long_bias": wrong(
        "bias tensor #2 'bias' has 7 values, expected 6",
        tensor=2,
        shape=(7,),
        data=np.zeros(7, np.int32),
    ),
    "sign_bit": wrong("fused activation SIGN_BIT", FusedActivationFunction=5),
    "factor_too_large": wrong(
        "output tensor #3 'output' has scale 1e-30, too small for the inputs' 0.00131762",
        tensor=3,
        scales=(1e-30,),
    ),
}
