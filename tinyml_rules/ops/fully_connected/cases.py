"""Cases of FULLY_CONNECTED: ranks, quantization, ties and what is refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from hypothesis import (
    strategies as st,
)

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
from tinyml_rules.ops._shared.cases.strategies import (
    ACTIVATIONS,
    sums,
)
from tinyml_rules.ops._shared.cases.weighted import (
    WRAPPING_FACTOR,
    Sums,
    wrapping,
    wrapping_at_zero_point,
)
from tinyml_rules.ops.fully_connected.real_cases import REAL_CASES, REAL_REJECTED, real_dense


def dense(
    source: tuple[int, ...] = (1, 10),
    result: tuple[int, ...] = (1, 6),
    *,
    input_count: int = 0,
    is_per_axis: bool = False,
    keep_num_dims: bool = False,
    **sums: Any,
) -> ModelSpec:
    """A layer; `sums` are fields of `Sums`, `input_count` is by default the last dimension."""
    how = Sums(is_per_axis=is_per_axis, **sums)
    inputs = input_count or source[-1]
    return model_of(
        "FULLY_CONNECTED",
        (how.source(source), *how.constants((result[-1], inputs), axis=0, terms=inputs)),
        how.result(result),
        options={"FusedActivationFunction": how.activation, "KeepNumDims": keep_num_dims},
        version=4,
    )


def identity(factor: float) -> ModelSpec:
    """64 vectors of one value, which is also the sum."""
    return dense((64, 1), (64, 1), values=1, factor=factor, zero_points=(0, 0), bias_size=0)


# the factor is 1.5 in double, and more where the product of the scales is rounded to float32
_PRODUCT_IN_DOUBLE = with_tensor(identity(1.0), 0, scales=(0.1,))
_PRODUCT_IN_DOUBLE = with_tensor(_PRODUCT_IN_DOUBLE, 1, scales=(1.5,))
_PRODUCT_IN_DOUBLE = with_tensor(_PRODUCT_IN_DOUBLE, 2, scales=(0.15,))
_PRODUCT_IN_DOUBLE = with_tensor(_PRODUCT_IN_DOUBLE, 3, scales=(0.1,))

CASES = {
    "per_tensor": random_case(dense()),
    "per_axis": random_case(dense(is_per_axis=True)),
    "per_axis_batches": random_case(dense((3, 10), (3, 6), is_per_axis=True)),
    "one_output": random_case(dense(result=(1, 1), is_per_axis=True)),
    "one_input": random_case(dense((1, 1), (1, 5))),
    "wide": random_case(dense((1, 300), (1, 4))),
    "wider_than_a_sum_of_words": random_case(dense((1, 1028), (1, 2))),
    "wide_odd_outputs": random_case(dense((2, 35), (2, 5))),
    "wide_per_axis": random_case(dense((2, 33), (2, 5), is_per_axis=True)),
    "wide_one_output": random_case(dense((1, 64), (1, 1))),
    "wide_zero_points": random_case(dense((1, 64), (1, 6), zero_points=(-128, 127))),
    "wide_large_bias": random_case(dense((1, 64), (1, 6), bias_size=2**30, factor=2.0**-25)),
    "wide_and_extreme": random_case(
        dense(
            (1, 1035),
            (1, 2),
            values=[[-128] * 1035, [127] * 1035],
            factor=2.0**-17,
            is_per_axis=True,
        )
    ),
    "wide_odd": random_case(dense((2, 35), (2, 7))),
    "wide_odd_per_axis": random_case(dense((1, 35), (1, 7), is_per_axis=True)),
    "input_of_rank_1": random_case(dense((10,), (1, 6))),
    "input_of_rank_3": random_case(dense((2, 3, 4), (6, 5))),
    "input_of_rank_3_kept": random_case(dense((2, 3, 4), (2, 3, 5), keep_num_dims=True)),
    "input_of_rank_4": random_case(dense((1, 5, 4, 2), (1, 6), input_count=40)),
    "batches": random_case(dense((4, 10), (4, 6))),
    "batches_of_rank_4": random_case(dense((3, 2, 2, 3), (3, 6), input_count=12)),
    "no_bias": random_case(dense(bias_size=None)),
    "no_bias_per_axis": random_case(dense(bias_size=None, is_per_axis=True)),
    "large_bias": random_case(dense(bias_size=2**30, factor=2.0**-25)),
    "lowest_zero_point": random_case(dense(zero_points=(-128, 127))),
    "highest_zero_point": random_case(dense(zero_points=(127, -128))),
    **{
        f"activation_{activation.name.lower()}": random_case(dense(activation=activation))
        for activation in (Activation.RELU, Activation.RELU6, Activation.RELU_N1_TO_1)
    },
    "clamped_to_one_value": random_case(dense(activation=Activation.RELU, zero_points=(0, 127))),
    "sums_wrap": random_case(wrapping(dense(factor=WRAPPING_FACTOR))),
    "sums_wrap_per_axis": random_case(wrapping(dense(factor=WRAPPING_FACTOR, is_per_axis=True))),
    "sums_wrap_wide": random_case(wrapping(dense((2, 39), (2, 6), factor=WRAPPING_FACTOR))),
    **{
        f"zero_point_wraps_{way}": every_value_case(
            wrapping_at_zero_point(dense((64, 1), (64, 1), values=1, zero_points=(0, point)))
        )
        for way, point in (("up", 127), ("down", -128))
    },
    "factor_above_1": every_value_case(identity(1.7)),
    "factor_40": every_value_case(identity(40.25)),
    "factor_small": random_case(dense(factor=2.0**-20)),
    "factor_vanishes": random_case(dense(factor=2.0**-40)),
    "product_in_double": every_value_case(_PRODUCT_IN_DOUBLE),
    "ties_of_multiplication": every_value_case(identity(0.5)),
    "ties_of_both": every_value_case(identity(0.25)),
    "ties_of_shift": every_value_case(identity(0.0625)),
    **REAL_CASES,
}


def _rejected(*errors: str, **changes: Any) -> Rejected:
    """The default layer with changes to `tensor` number, or to options."""
    model = dense()
    if "tensor" in changes:
        return Rejected(with_tensor(model, changes.pop("tensor"), **changes), errors)
    return Rejected(with_options(model, **changes), errors)


SAMPLES = ("per_tensor", "per_axis", "wide", "wide_per_axis", "real")
"""Cases between which every kernel is used."""

REJECTED = {
    "hybrid": _rejected(
        "input tensor #0 'input' is float32, expected int8",
        tensor=0,
        dtype="float32",
        scales=(),
        zero_points=(),
    ),
    "int16_output": _rejected(
        "output tensor #3 'output' is int16, expected int8", tensor=3, dtype="int16"
    ),
    "weights_without_scale": _rejected(
        "weights tensor #1 'weights' has no scale", tensor=1, scales=(), zero_points=()
    ),
    "computed_weights": _rejected(
        "weights tensor #1 'weights' is computed at run time, expected a constant",
        tensor=1,
        data=None,
    ),
    "weights_along_another_axis": _rejected(
        "weights tensor #1 'weights' has scales along axis 1, expected 0",
        tensor=1,
        scales=(1.0,) * 10,
        zero_points=(0,) * 10,
        axis=1,
    ),
    "weights_of_rank_1": _rejected(
        "weights tensor #1 'weights' has 1 dimensions, expected 2", tensor=1, shape=(60,)
    ),
    "shuffled_weights": _rejected(
        "weights format 1, expected the default row-major format", WeightsFormat=1
    ),
    "input_that_does_not_divide": _rejected(
        "input tensor #0 'input' has 15 values, "
        "expected a multiple of the 10 that weights tensor #1 'weights' takes",
        tensor=0,
        shape=(1, 15),
    ),
    "output_flattened": Rejected(
        with_tensor(dense((2, 10), (2, 6)), 3, shape=(12,)),
        ("output tensor #3 'output' has shape [12], expected 2 vectors of 6",),
    ),
    "output_of_another_size": _rejected(
        "output tensor #3 'output' has shape [2, 6], expected 1 vectors of 6",
        tensor=3,
        shape=(2, 6),
    ),
    "long_bias": _rejected(
        "bias tensor #2 'bias' has 7 values, expected 6",
        tensor=2,
        shape=(7,),
        data=np.zeros(7, np.int32),
    ),
    "sign_bit": _rejected("fused activation SIGN_BIT", FusedActivationFunction=5),
    "factor_too_large": _rejected(
        "output tensor #3 'output' has scale 1e-30, too small for the inputs' 0.00131762",
        tensor=3,
        scales=(1e-30,),
    ),
    **REAL_REJECTED,
}


@st.composite
def _models(draw: st.DrawFn) -> ModelSpec:
    """Inputs of rank 1 to 4, whose first dimensions are kept or are one; now and then real."""
    outer = draw(st.lists(st.integers(1, 4), max_size=3))
    inputs, outputs = draw(st.integers(1, 40)), draw(st.integers(1, 9))
    keeps = bool(outer) and draw(st.booleans())
    result = (*outer, outputs) if keeps else (math.prod(outer), outputs)
    activation = draw(ACTIVATIONS)
    if not keeps and draw(st.integers(0, 3)) == 0:
        has_bias = draw(st.booleans())
        return real_dense((*outer, inputs), result, has_bias=has_bias, activation=activation)
    return dense(
        (*outer, inputs),
        result,
        keep_num_dims=keeps,
        activation=activation,
        **draw(sums()),
    )


MODELS = _models()
