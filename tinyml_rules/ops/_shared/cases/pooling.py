"""Cases that AVERAGE_POOL_2D and MAX_POOL_2D share, and how their models are made."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from tinyml_rules.arithmetic.fixed_point import Activation
from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.case import (
    Case,
    Rejected,
    model_of,
    quantized,
    random_case,
    with_options,
    with_tensor,
)
from tinyml_rules.ops._shared.cases.reals import real_cases
from tinyml_rules.ops._shared.cases.shorts import of_shorts
from tinyml_rules.ops._shared.cases.strategies import SCALES, ZERO_POINTS, windows
from tinyml_rules.ops._shared.spatial import Padding, Sliding

SAME, VALID = Padding.SAME, Padding.VALID


def pool(
    operator: str,
    image: tuple[int, int, int, int] = (1, 5, 6, 3),
    window: tuple[int, int] = (2, 2),
    *,
    strides: tuple[int, int] = (2, 2),
    padding: Padding = SAME,
    activation: Activation = Activation.NONE,
    scale: float = 0.25,
    zero_point: int = 5,
) -> ModelSpec:
    """A pooling node; pairs are (vertical, horizontal)."""
    batches, height, width, channels = image
    vertical, horizontal = map(Sliding, window, strides)
    shape = (
        batches,
        vertical.output_size(height, padding),
        horizontal.output_size(width, padding),
        channels,
    )
    return model_of(
        operator,
        (quantized("input", image, scale=scale, zero_point=zero_point),),
        quantized("output", shape, scale=scale, zero_point=zero_point),
        options={
            "Padding": padding,
            "StrideH": strides[0],
            "StrideW": strides[1],
            "FilterHeight": window[0],
            "FilterWidth": window[1],
            "FusedActivationFunction": activation,
        },
        version=1 if operator == "L2_POOL_2D" else 2,
    )


_REAL = (
    *("same", "valid", "stride_1", "strides_3_and_2", "stride_beyond_window", "batches"),
    *("window_beyond_image", "window_across_int16", "whole_image", "one_channel"),
    *("relu", "relu6", "relu_n1_to_1"),
)


_SHORT = (
    *("same", "valid", "stride_1", "strides_3_and_2", "window_beyond_image", "whole_image"),
    *("window_across_int16", "eight_channels", "many_channels", "batches", "relu", "relu6"),
    "relu_n1_to_1",
)


def pooling_cases(operator: str) -> dict[str, Case]:
    """Geometry, activations and zero points."""
    models = {
        "same": pool(operator),
        "valid": pool(operator, padding=VALID),
        "stride_1": pool(operator, window=(3, 3), strides=(1, 1)),
        "stride_1_valid": pool(operator, window=(3, 2), strides=(1, 1), padding=VALID),
        "strides_3_and_2": pool(operator, (1, 7, 7, 2), (2, 3), strides=(3, 2)),
        "stride_beyond_window": pool(operator, (1, 7, 7, 2), (1, 2), strides=(3, 3)),
        "window_beyond_image": pool(operator, (1, 2, 3, 2), (5, 7)),
        "window_beyond_int16": pool(operator, (1, 3, 2, 3), (40_000, 1)),
        "window_across_int16": pool(operator, (1, 3, 2, 3), (2, 40_000), strides=(1, 1)),
        "stride_beyond_int16": pool(operator, (1, 5, 5, 2), (3, 3), strides=(40_000, 50_000)),
        "whole_image": pool(operator, (1, 4, 5, 3), (4, 5), padding=VALID),
        "one_pixel": pool(operator, (1, 3, 3, 2), (1, 1), strides=(1, 1)),
        "row_window": pool(operator, (1, 1, 9, 2), (1, 3), strides=(1, 2)),
        "column_window": pool(operator, (1, 9, 1, 2), (3, 1), strides=(2, 1)),
        "batches": pool(operator, (3, 4, 4, 2)),
        "eight_channels": pool(operator, (1, 5, 6, 9), (3, 3)),
        "many_channels": pool(operator, (2, 4, 3, 41), (2, 2)),
        "one_channel": pool(operator, (1, 6, 6, 1), (3, 3)),
        "relu": pool(operator, activation=Activation.RELU),
        "relu6": pool(operator, activation=Activation.RELU6),
        "relu_n1_to_1": pool(operator, activation=Activation.RELU_N1_TO_1),
        "relu6_lowest_zero_point": pool(operator, activation=Activation.RELU6, zero_point=-128),
        "relu_highest_zero_point": pool(operator, activation=Activation.RELU, zero_point=127),
    }
    cases = {name: random_case(model) for name, model in models.items()}
    return cases | real_cases(cases, _REAL) | of_shorts(cases, _SHORT)


def pooling_rejected(operator: str) -> dict[str, Rejected]:
    """Shapes and options."""
    model = pool(operator)
    no_options = replace(model.operators[0], options={}, options_table="")
    sizes = "window sizes, strides and dilations have to be at least 1"
    return {
        "wrong_output_shape": Rejected(
            with_tensor(model, 1, shape=(1, 3, 3, 4)),
            ("output tensor #1 'output' has shape [1, 3, 3, 4], expected [1, 3, 3, 3]",),
        ),
        "window_0": Rejected(with_options(model, FilterWidth=0), (sizes,)),
        "no_options": Rejected(replace(model, operators=(no_options,)), (sizes,)),
        "window_does_not_fit": Rejected(
            with_options(model, Padding=VALID, FilterHeight=8, StrideH=1),
            ("a window of 8x2 exceeds input tensor #0 'input'",),
        ),
        "tanh": Rejected(
            with_options(model, FusedActivationFunction=4), ("fused activation TANH",)
        ),
    }


@st.composite
def pool_models(draw: st.DrawFn, operator: str) -> ModelSpec:
    """Windows of any kind."""
    geometry = draw(windows(has_dilation=False))
    return pool(operator, **geometry, scale=draw(SCALES), zero_point=draw(ZERO_POINTS))
