"""Cases of ADD: shapes that broadcast, constants, scales, ties and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinyml_rules.arithmetic.fixed_point import Activation
from tinyml_rules.model_file.writer import ModelSpec, TensorSpec
from tinyml_rules.ops._shared.cases.arithmetic import (
    CLAMPED,
    LONG_SAMPLES,
    OPTIONS,
    PLAIN_SAMPLES,
    SHORT_SAMPLES,
    SUM_SCALES,
    activation_cases,
    arithmetic_models,
    arithmetic_rejected,
    long_cases,
    long_models,
    long_rejected,
    scaled_int32,
    sum_rejected,
)
from tinyml_rules.ops._shared.cases.broadcast import BROADCASTS, Shape
from tinyml_rules.ops._shared.cases.case import (
    EVERY_INT8,
    Case,
    Rejected,
    constant,
    model_of,
    quantized,
    random,
    random_case,
    with_options,
    with_tensor,
)
from tinyml_rules.ops._shared.cases.pairs import FINITE, broadcast_cases, every_pair, pair
from tinyml_rules.ops._shared.cases.shorts import short_pair_models, short_pairs


def add(
    first: Shape = (1, 4, 6),
    second: Shape = (1, 4, 6),
    *,
    constants: tuple[bool, bool] = (False, False),
    scales: tuple[float, float, float] = (0.3, 0.2, 0.4),
    zero_points: tuple[int, int, int] = (3, -5, 7),
    activation: Activation = Activation.NONE,
) -> ModelSpec:
    """first + second; triples are (first, second, output)."""

    def operand(index: int, name: str, shape: Shape) -> TensorSpec:
        tensor = quantized(name, shape, scale=scales[index], zero_point=zero_points[index])
        if not constants[index]:
            return tensor
        values = random().integers(-128, 128, shape)
        return constant(name, values, scales=tensor.scales, zero_point=zero_points[index])

    return model_of(
        "ADD",
        (operand(0, "first", first), operand(1, "second", second)),
        quantized(
            "output",
            np.broadcast_shapes(first, second),
            scale=scales[2],
            zero_point=zero_points[2],
        ),
        options={"FusedActivationFunction": activation},
        version=2,
    )


def _pairs(scales: tuple[float, float, float], seconds: tuple[int, ...]) -> Case:
    """Every value plus each of `seconds`, with zero points of 0."""
    model = add((1, 64), (1, 64), scales=scales, zero_points=(0, 0, 0))
    firsts = np.tile(EVERY_INT8.reshape(-1, 1, 64), (len(seconds), 1, 1))
    return Case(model, (firsts, np.repeat(seconds, 256).astype(np.int8).reshape(-1, 1, 64)))


CASES = {
    "same_shape": random_case(add()),
    "same_scale": random_case(add((17,), (17,), scales=(0.3, 0.3, 0.4))),
    "same_shape_of_rank_1": random_case(add((17,), (17,))),
    "same_shape_of_rank_5": random_case(add((2, 1, 3, 2, 2), (2, 1, 3, 2, 2))),
    **{
        f"broadcast_{name}{suffix}": random_case(add(*shapes, constants=constants))
        for name, pair in BROADCASTS.items()
        for suffix, shapes, constants in (
            ("", pair, (False, False)),
            ("_swapped", pair[::-1], (False, False)),
            ("_constant", pair, (False, True)),
        )
    },
    "constant_first": random_case(add(constants=(True, False))),
    "constant_second": random_case(add(constants=(False, True))),
    "constant_first_larger": random_case(add((5,), (2, 5), constants=(False, True))),
    "constant_first_broadcast": random_case(add((5,), (2, 5), constants=(True, False))),
    **{
        f"activation_{activation.name.lower()}": random_case(add(activation=activation))
        for activation in (Activation.RELU, Activation.RELU6, Activation.RELU_N1_TO_1)
    },
    "lowest_zero_points": random_case(add(zero_points=(-128, -128, -128))),
    "highest_zero_points": random_case(add(zero_points=(127, 127, 127))),
    "opposite_zero_points": random_case(add(zero_points=(-128, 127, -128))),
    "table_of_one_value": random_case(add((8, 64), (1, 1), constants=(False, True))),
    "table_of_one_value_first": random_case(add((1,), (8, 64), constants=(True, False))),
    "scales_far_apart": random_case(add(scales=(1.0, 2.0**-12, 1.0))),
    "scale_that_vanishes": random_case(add(scales=(1.0, 2.0**-40, 1.0))),
    "output_scale_large": random_case(add(scales=(0.3, 0.2, 50.0))),
    "output_scale_small": random_case(add(scales=(0.3, 0.2, 0.001))),
    "output_scale_least": random_case(add(scales=(1.0, 1.0, 2.0**-18))),
    "ties_of_halves": _pairs((1.0, 1.0, 2.0), (0, 1, -128, 127)),
    "ties_of_quarters": _pairs((1.0, 1.0, 4.0), (0, 1, 2, 3)),
    "ties_of_unequal_scales": _pairs((1.0, 0.5, 1.0), (0, 1, -1, 3)),
    **broadcast_cases("ADD", "int32"),
    **broadcast_cases("ADD", "float32"),
    **activation_cases("ADD", ("float32",)),
    **short_pairs("ADD", SUM_SCALES, options=CLAMPED),
    "int32_special": every_pair(pair("ADD", "int32")),
    "float32_special": every_pair(pair("ADD", "float32"), FINITE),
    **long_cases("ADD"),
    "no_ties_but_saturation": _pairs((1.0, 1.0, 1.0), (-128, 127)),
}


def _rejected(*errors: str, **changes: Any) -> Rejected:
    """The default sum with changes to `tensor` number, or to options."""
    model = add()
    if "tensor" in changes:
        return Rejected(with_tensor(model, changes.pop("tensor"), **changes), errors)
    return Rejected(with_options(model, **changes), errors)


SAMPLES = (
    *SHORT_SAMPLES,
    *LONG_SAMPLES,
    *("same_shape", "same_scale", "broadcast_channels", "broadcast_channels_constant"),
    *("broadcast_outer", "broadcast_outer_constant", *PLAIN_SAMPLES),
)
"""Cases between which every kernel is used."""

REJECTED = {
    **sum_rejected("ADD", "sum"),
    **long_rejected("ADD"),
    **arithmetic_rejected("ADD"),
    "int32_relu": Rejected(
        with_options(pair("ADD", "int32"), FusedActivationFunction=1),
        ("fused activation 1 of int32, which TFLM leaves out, expected NONE",),
    ),
    "scaled_int32": scaled_int32("ADD"),
    "output_scale_too_small": _rejected(
        "output tensor #2 'output' has a scale too small for the sum of its inputs",
        tensor=2,
        scales=(2.0**-22,),
    ),
}
MODELS = (
    arithmetic_models("ADD", ("int8", "float32"))
    | arithmetic_models("ADD", ("int32",), options=None)
    | short_pair_models("ADD", options=OPTIONS)
    | long_models("ADD")
)
