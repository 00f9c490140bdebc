"""Cases of MUL: shapes that broadcast, constants, scales, ties, int32 and what is refused."""

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
    activation_cases,
    arithmetic_models,
    long_cases,
    long_models,
    long_rejected,
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
    typed,
    with_options,
    with_tensor,
)
from tinyml_rules.ops._shared.cases.pairs import FINITE, broadcast_cases, every_pair, pair
from tinyml_rules.ops._shared.cases.shorts import (
    STEP,
    short_pair_models,
    short_pairs,
)

CLAMPS = (Activation.RELU, Activation.RELU6, Activation.RELU_N1_TO_1)


def mul(
    first: Shape = (1, 4, 6),
    second: Shape = (1, 4, 6),
    *,
    constants: tuple[bool, bool] = (False, False),
    scales: tuple[float, float, float] = (0.03, 0.2, 0.4),
    zero_points: tuple[int, int, int] = (3, -5, 7),
    activation: Activation = Activation.NONE,
) -> ModelSpec:
    """first * second; triples are (first, second, output)."""

    def operand(index: int, name: str, shape: Shape) -> TensorSpec:
        tensor = quantized(name, shape, scale=scales[index], zero_point=zero_points[index])
        if not constants[index]:
            return tensor
        values = random().integers(-128, 128, shape)
        return constant(name, values, scales=tensor.scales, zero_point=zero_points[index])

    shape = np.broadcast_shapes(first, second)
    return model_of(
        "MUL",
        (operand(0, "first", first), operand(1, "second", second)),
        quantized("output", shape, scale=scales[2], zero_point=zero_points[2]),
        options={"FusedActivationFunction": activation},
        version=2,
    )


def mul_int32(
    first: Shape = (1, 4, 6),
    second: Shape = (1, 4, 6),
    *,
    has_constant: bool = False,
    activation: Activation = Activation.NONE,
) -> ModelSpec:
    """The same of int32."""
    other = typed("second", second, "int32")
    if has_constant:
        values = random().integers(-(2**31), 2**31, second, np.int32)
        other = TensorSpec("second", second, "int32", data=np.asarray(values, np.int32))
    return model_of(
        "MUL",
        (typed("first", first, "int32"), other),
        typed("output", np.broadcast_shapes(first, second), "int32"),
        options={"FusedActivationFunction": activation},
        version=2,
    )


def _pairs(scales: tuple[float, float, float], seconds: tuple[int, ...], **changes: Any) -> Case:
    """Every value times each of `seconds`, with zero points of 0."""
    model = mul((1, 64), (1, 64), scales=scales, **{"zero_points": (0, 0, 0), **changes})
    firsts = np.tile(EVERY_INT8.reshape(-1, 1, 64), (len(seconds), 1, 1))
    return Case(model, (firsts, np.repeat(seconds, 256).astype(np.int8).reshape(-1, 1, 64)))


def _small(activation: Activation) -> Case:
    """Products of int32 around the bounds of an activation."""
    model = mul_int32((1, 25), (1, 25), activation=activation)
    first, second = np.meshgrid([-2, -1, 0, 1, 3], [-2, 0, 1, 2, 3])
    return Case(model, tuple(each.reshape(1, 1, 25).astype(np.int32) for each in (first, second)))


def _ends() -> Case:
    """Products of int32 that wrap."""
    values = np.array([-(2**31), -(2**31) + 1, -65536, -46341, -1, 0, 1, 46341, 65536, 2**31 - 1])
    first, second = np.meshgrid(values, values)
    samples = tuple(each.reshape(10, 1, 10).astype(np.int32) for each in (first, second))
    return Case(mul_int32((1, 10), (1, 10)), samples)


_SHORT_SCALES = {
    "usual_scales": (0.003, 0.002, 0.1),
    "equal_scales": (STEP, STEP, STEP),
    "ties": (1.0, 1.0, 2.0),
    "ties_of_quarters": (0.5, 0.5, 1.0),
    "ties_of_shift": (0.5, 1.0, 2.0**12),
    "factor_vanishes": (2.0**-20, 2.0**-20, 1.0),
    "factor_just_below_1": (0.999, 1.0, 1.0),
    "quotient_in_double": (0.1, 0.7, 0.2),
}
"""Of int16: both inputs, and the output."""

CASES = {
    "same_shape": random_case(mul()),
    "same_shape_of_rank_1": random_case(mul((17,), (17,))),
    "same_shape_of_rank_5": random_case(mul((2, 1, 3, 2, 2), (2, 1, 3, 2, 2))),
    **{
        f"broadcast_{name}{suffix}": random_case(mul(*shapes, constants=constants))
        for name, pair in BROADCASTS.items()
        for suffix, shapes, constants in (
            ("", pair, (False, False)),
            ("_swapped", pair[::-1], (False, False)),
            ("_constant", pair, (False, True)),
        )
    },
    "constant_first": random_case(mul(constants=(True, False))),
    "constant_second": random_case(mul(constants=(False, True))),
    "constant_first_larger": random_case(mul((5,), (2, 5), constants=(False, True))),
    "constant_first_broadcast": random_case(mul((5,), (2, 5), constants=(True, False))),
    "table_of_one_value": random_case(mul((8, 64), (1, 1), constants=(False, True))),
    "table_of_one_value_first": random_case(mul((1,), (8, 64), constants=(True, False))),
    **{
        f"activation_{activation.name.lower()}": random_case(
            mul(activation=activation, scales=(0.03, 0.2, 0.05))
        )
        for activation in CLAMPS
    },
    "lowest_zero_points": random_case(mul(zero_points=(-128, -128, -128))),
    "highest_zero_points": random_case(mul(zero_points=(127, 127, 127))),
    "opposite_zero_points": random_case(mul(zero_points=(-128, 127, -128))),
    "factor_vanishes": random_case(mul(scales=(2.0**-20, 2.0**-20, 1.0))),
    "factor_of_products": random_case(mul(scales=(0.5, 0.5, 100.0))),
    "factor_above_1": _pairs((0.7, 0.9, 0.2), (-128, -1, 0, 1, 2, 127)),
    "factor_largest": _pairs(
        (2.0**7, 2.0**7 * 1.99, 1.0), (-128, 0, 1, 127), zero_points=(127, 127, -128)
    ),
    # 3.5 as float32, a little more in double: odd products tie in the one, not in the other
    "quotient_in_double": _pairs((0.1, 0.7, 0.02), (-3, -1, 0, 1, 3, 5)),
    "ties_of_halves": _pairs((1.0, 1.0, 2.0), (0, 1, -1, -128, 127)),
    "ties_of_quarters": _pairs((0.5, 0.5, 1.0), (1, 2, 3, -1, -3)),
    "ties_of_shift": _pairs((0.5, 1.0, 8.0), (1, 3, 8, -1, -8), zero_points=(0, 0, -1)),
    "saturation": _pairs((1.0, 1.0, 1.0), (-128, -2, 2, 127)),
    **short_pairs("MUL", _SHORT_SCALES, options=CLAMPED),
    "int32": random_case(mul_int32()),
    "int32_wraps": _ends(),
    **{
        f"int32_broadcast_{name}{suffix}": random_case(mul_int32(*shapes, has_constant=is_known))
        for name in ("channels", "outer", "scalar", "five_dimensions", "every_other_of_5")
        for suffix, shapes, is_known in (
            ("", BROADCASTS[name], False),
            ("_swapped", BROADCASTS[name][::-1], False),
            ("_constant", BROADCASTS[name], True),
        )
    },
    **{f"int32_{activation.name.lower()}": _small(activation) for activation in CLAMPS},
    **broadcast_cases("MUL", "float32"),
    **activation_cases("MUL", ("float32",)),
    "float32_special": every_pair(pair("MUL", "float32"), FINITE),
    **long_cases("MUL"),
    "int32_broadcast_relu6": random_case(mul_int32((3, 4), (4,), activation=Activation.RELU6)),
}


def _rejected(*errors: str, **changes: Any) -> Rejected:
    """The default product with changes to `tensor` number, or to options."""
    model = mul()
    if "tensor" in changes:
        return Rejected(with_tensor(model, changes.pop("tensor"), **changes), errors)
    return Rejected(with_options(model, **changes), errors)


SAMPLES = (
    *SHORT_SAMPLES,
    *LONG_SAMPLES,
    *(name for name in PLAIN_SAMPLES if name.startswith("float32")),
    "same_shape",
    "broadcast_channels",
    "broadcast_channels_constant",
    "broadcast_outer",
    "broadcast_outer_constant",
    "int32",
    "int32_broadcast_channels",
    "int32_broadcast_outer",
    "int32_broadcast_channels_constant",
    "int32_broadcast_outer_constant",
)
"""Cases between which every kernel is used."""

REJECTED = {
    "int16_factor_too_large": Rejected(
        pair("MUL", "int16", scales=(0.5, 0.5, 0.25)),
        ("output tensor #2 'output' has scale 0.25, too small for the inputs' 0.25",),
    ),
    **long_rejected("MUL"),
    "tanh": _rejected("fused activation TANH", FusedActivationFunction=4),
    "int32_tanh": Rejected(
        with_options(mul_int32(), FusedActivationFunction=4), ("fused activation TANH",)
    ),
    "shapes_that_do_not_broadcast": _rejected(
        "shapes [1, 4, 6] and [1, 4, 5] do not broadcast", tensor=1, shape=(1, 4, 5)
    ),
    "wrong_output_shape": _rejected(
        "output tensor #2 'output' has shape [1, 4, 5], expected [1, 4, 6]",
        tensor=2,
        shape=(1, 4, 5),
    ),
    "factor_too_large": Rejected(
        mul(scales=(256.0, 128.0, 1.0)),
        ("output tensor #2 'output' has scale 1, too small for the inputs' 32768",),
    ),
}
MODELS = (
    arithmetic_models("MUL")
    | long_models("MUL")
    | short_pair_models("MUL", factor=lambda first, second: first * second, options=OPTIONS)
)
