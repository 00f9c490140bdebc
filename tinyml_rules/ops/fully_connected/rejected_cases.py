"""What is refused of FULLY_CONNECTED of integers: changes to a layer of ten inputs, six outputs."""

from __future__ import annotations

from tinyml_rules.ops._shared.cases.case import wrong

WRONG = {
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
    "sign_bit": wrong("fused activation SIGN_BIT", FusedActivationFunction=5),
    "factor_too_large": wrong(
        "output tensor #3 'output' has scale 1e-30, too small for the inputs' 0.00131762",
        tensor=3,
        scales=(1e-30,),
    ),
}
