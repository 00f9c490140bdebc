"""Cases of FULLY_CONNECTED: ranks, quantization, ties and what is refused."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from tinyml_rules.arithmetic.fixed_point import Activation
from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.case import (
    Case,
    Rejected,
    every_value_case,
    model_of,
    random_case,
    with_tensor,
)
from tinyml_rules.ops._shared.cases.int16x8 import int16_cases, int16_models, int16_rejected
from tinyml_rules.ops._shared.cases.strategies import (
    ACTIVATIONS,
    BITS,
    FEW,
    SIZES,
    ZERO_POINTS,
    maybe_computed,
    shapes,
    sums,
)
from tinyml_rules.ops._shared.cases.uint8 import weighted_uint8_cases, weighted_uint8_models
from tinyml_rules.ops._shared.cases.weighted import (
    WRAPPING_FACTOR,
    Sums,
    computed,
    shifting,
    wrapping,
    wrapping_at_zero_point,
)
from tinyml_rules.ops.fully_connected.packed_cases import packed_cases
from tinyml_rules.ops.fully_connected.real_cases import REAL_CASES, REAL_REJECTED
from tinyml_rules.ops.fully_connected.rejected_cases import WRONG


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


def with_zero_point(model: ModelSpec, zero_point: int) -> ModelSpec:
    """The layer with weights that have one."""
    return with_tensor(model, 1, zero_points=(zero_point,))


def per_axis_int4(*shapes: tuple[int, ...], **sums: Any) -> Case:
    """A layer that TFLM has only with int8 weights."""
    model = dense(*shapes, is_per_axis=True, bits=4, **sums)
    return replace(random_case(model), stand_in=with_tensor(model, 1, dtype="int8"))


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
    "eight_outputs": random_case(dense((2, 32), (2, 8))),
    "eight_outputs_rounded_once": random_case(
        dense((2, 32), (2, 8), factor=0.9 * 2.0**-5, bias_size=2**12)
    ),
    "eight_outputs_per_axis": random_case(dense((2, 32), (2, 8), is_per_axis=True)),
    "eight_outputs_odd": random_case(dense((2, 33), (2, 9))),
    "eight_outputs_odd_per_axis": random_case(dense((2, 34), (2, 8), is_per_axis=True)),
    "eight_outputs_relu_at_lowest": random_case(
        dense((2, 33), (2, 9), activation=Activation.RELU, zero_points=(-128, -128))
    ),
    "seven_outputs_relu_at_lowest": random_case(
        dense((2, 5), (2, 7), activation=Activation.RELU, zero_points=(-128, -128))
    ),
    "eight_outputs_unshifted": random_case(dense((2, 33), (2, 9), factor=0.7)),
    "wide_per_axis": random_case(dense((2, 33), (2, 5), is_per_axis=True)),
    "wide_per_axis_of_eight": random_case(dense((2, 33), (2, 8), is_per_axis=True)),
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
    "wide_groups": random_case(dense((2, 37), (2, 11))),
    "wide_groups_per_axis": random_case(dense((2, 38), (2, 11), is_per_axis=True)),
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
    "relu_at_lowest": random_case(
        dense((2, 40), (2, 6), activation=Activation.RELU, zero_points=(-128, -128))
    ),
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
    "int4": random_case(dense(bits=4)),
    "int4_odd": random_case(dense((3, 9), (3, 5), bits=4, activation=Activation.RELU)),
    "int4_one_input": random_case(dense((1, 1), (1, 5), bits=4)),
    "int4_wide": random_case(dense((1, 299), (1, 4), bits=4, bias_size=None)),
    "int4_ends": random_case(dense((2, 35), (2, 2), values=[[-8] * 35, [7] * 35], bits=4)),
    "int4_zero_points": random_case(dense(zero_points=(127, -128), bits=4)),
    "int4_nine_outputs": random_case(dense((2, 18), (2, 9), bits=4)),
    "int4_nine_outputs_relu_at_lowest": random_case(
        dense((2, 18), (2, 9), bits=4, activation=Activation.RELU, zero_points=(3, -128))
    ),
    "int4_nine_outputs_per_axis": per_axis_int4((2, 18), (2, 9), factor=0.01),
    "int4_per_axis": per_axis_int4(),
    "int4_per_axis_odd": per_axis_int4((3, 9), (3, 5), bias_size=None),
    "int4_zero_point": random_case(with_zero_point(dense(bits=4), 1)),
    "int4_zero_point_without_nibbles": random_case(with_zero_point(dense(bits=4), -8)),
    "sums_wrap_of_int4": random_case(wrapping(dense((2, 9), (2, 6), factor=2.0**-25, bits=4))),
    **{
        f"centred_weights_{name}": random_case(with_zero_point(dense((2, 11), (2, 6)), point))
        for name, point in (("lowest", -128), ("highest", 127), ("without_9", 9))
    },
    "zero_point_of_weights_folded": random_case(
        with_zero_point(dense(values=[[-40, 100, 3, 7, 0] * 2] * 6), -27)
    ),
    "centred_sums_wrap": random_case(with_zero_point(wrapping(dense(factor=WRAPPING_FACTOR)), 127)),
    **{
        f"computed_{'_'.join(what)}{'_per_axis' if is_per_axis else ''}": random_case(
            computed(dense((2, 10), (2, 6), is_per_axis=is_per_axis), *what)
        )
        for what in (("weights",), ("bias",), ("weights", "bias"))
        for is_per_axis in (False, True)
    },
    "computed_weights_zero_points": random_case(
        computed(with_zero_point(dense(zero_points=(127, -128)), 127), "weights")
    ),
    "computed_weights_no_bias": random_case(
        computed(
            dense((2, 3, 4), (2, 3, 5), bias_size=None, activation=Activation.RELU6), "weights"
        )
    ),
    "computed_bias_zero_point": random_case(computed(with_zero_point(dense(), 100), "bias")),
    **packed_cases(dense),
    **REAL_CASES,
}
_SHIFTED = (
    *("packed_blocks_and_eights", "packed_per_axis", "packed_zeros"),
    *("seven_outputs_relu_at_lowest", "int4", "int4_per_axis", "eight_outputs_per_axis"),
    *("int4_odd", "per_tensor", "per_axis", "wide", "eight_outputs_relu_at_lowest"),
    *("int4_nine_outputs", "int4_nine_outputs_per_axis", "int4_nine_outputs_relu_at_lowest"),
)
_INT16 = (
    *("per_tensor", "per_axis", "per_axis_batches", "one_output", "wide", "wide_odd_per_axis"),
    *("no_bias", "no_bias_per_axis", "input_of_rank_3_kept", "activation_relu6", "factor_small"),
    *("activation_relu", "activation_relu_n1_to_1", "factor_vanishes", "factor_40"),
    *("ties_of_both", "ties_of_shift", "product_in_double"),
    *("wide_groups", "wide_groups_per_axis"),
)
CASES |= int16_cases(CASES, _INT16, long=dense((2, 1035), (2, 2), factor=2.0**-18))
CASES |= weighted_uint8_cases(CASES, _INT16, zero_points=(90, 128))
CASES.update({f"{name}_shifted": shifting(CASES[name]) for name in _SHIFTED})

SAMPLES = (
    *("packed_few_inputs", "packed_per_axis", "relu_at_lowest"),
    *("eight_outputs_relu_at_lowest", "seven_outputs_relu_at_lowest", "eight_outputs_unshifted"),
    *("eight_outputs", "eight_outputs_per_axis", "eight_outputs_odd", "eight_outputs_odd_per_axis"),
    "eight_outputs_rounded_once",
    *("per_tensor", "per_axis", "wide", "wide_per_axis", "real", "int4", "int4_per_axis"),
    *("int4_nine_outputs", "int4_nine_outputs_per_axis", "int4_nine_outputs_relu_at_lowest"),
    *("wide_groups", "wide_groups_per_axis"),
    "wide_per_axis_of_eight",
    *("int16_per_tensor", "int16_per_tensor_int32", "int16_per_tensor_wide"),
    *("int16_per_axis", "int16_per_axis_int32", "int16_per_axis_wide"),
    *("int16_wide_groups", "int16_wide_groups_int32"),
    *("int16_wide_groups_per_axis", "int16_wide_groups_per_axis_int32"),
    *("centred_sums_wrap", "computed_weights", "computed_bias", "computed_weights_bias"),
    *("real_computed_weights", "real_computed_bias", "real_computed_weights_bias"),
    *("seven_outputs_relu_at_lowest_shifted", "eight_outputs_relu_at_lowest_shifted"),
    "per_tensor_shifted",
)
"""Cases between which every kernel is used."""

REJECTED = {
    **int16_rejected(dense(is_per_axis=True)),
    **{name: wrong(dense()) for name, wrong in WRONG.items()},
    "zero_points_along_an_axis": Rejected(
        with_tensor(dense(is_per_axis=True), 1, zero_points=(0, 0, 0, 1, 0, 0)),
        ("weights tensor #1 'weights' has a zero point that is not 0",),
    ),
    "output_flattened": Rejected(
        with_tensor(dense((2, 10), (2, 6)), 3, shape=(12,)),
        ("output tensor #3 'output' has shape [12], expected 2 vectors of 6",),
    ),
    **REAL_REJECTED,
}


@st.composite
def _layers(draw: st.DrawFn) -> ModelSpec:
    vectors, outputs = draw(shapes(least_rank=0, most_rank=3, most=3)), draw(FEW)
    inputs, how = draw(SIZES | st.integers(30, 40)), {**draw(sums()), "bits": draw(BITS)}
    keeps = draw(st.booleans())
    rows = vectors if keeps else (math.prod(vectors),)
    return dense(
        (*vectors, inputs),
        (*rows, outputs),
        keep_num_dims=keeps,
        activation=draw(ACTIVATIONS),
        **how,
    )


@st.composite
def _models(draw: st.DrawFn) -> ModelSpec | Case:
    model = draw(_layers())
    weights = model.tensors[1]
    is_per_axis = len(weights.scales) > 1
    if weights.dtype == "int4":
        is_known = not is_per_axis
        stand_in = None if is_known else with_tensor(model, 1, dtype="int8")
        return replace(random_case(model), stand_in=stand_in)
    if not is_per_axis and draw(st.booleans()):
        model = with_zero_point(model, draw(ZERO_POINTS))
    return draw(maybe_computed(model))


MODELS = _models() | int16_models(_layers()) | weighted_uint8_models(_layers())
