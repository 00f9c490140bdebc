"""Cases of QUANTIZE: int8 to int8, float32 at the model's input, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tinyml_rules.model_file.writer import ModelSpec, TensorSpec
from tinyml_rules.ops._shared.cases.case import (
    AnyArray,
    Case,
    Rejected,
    every_value_case,
    model_of,
    quantized,
    random,
    with_tensor,
)

FLOAT_ENDS = (0.0, -0.0, 1e-30, -1e-30, 1e6, -1e6, 63.75, 64.0, -64.0, -64.25)


def requantize(scales: tuple[float, float], *, zero_points: tuple[int, int] = (0, 0)) -> ModelSpec:
    """From int8 to int8; pairs are (input, output)."""
    return model_of(
        "QUANTIZE",
        (quantized("input", (1, 64), scale=scales[0], zero_point=zero_points[0]),),
        quantized("output", (1, 64), scale=scales[1], zero_point=zero_points[1]),
        version=2,
    )


def quantize(count: int = 8, *, scale: float = 0.5, zero_point: int = 0) -> ModelSpec:
    """From float32 to int8."""
    return model_of(
        "QUANTIZE",
        (TensorSpec("input", (1, count), "float32"),),
        quantized("output", (1, count), scale=scale, zero_point=zero_point),
    )


def _reals(values: AnyArray, *, scale: float = 0.5, zero_point: int = 0) -> Case:
    model = quantize(len(values), scale=scale, zero_point=zero_point)
    return Case(model, (values.astype(np.float32).reshape(1, 1, -1),))


def _inside(values: AnyArray, *, scale: float, zero_point: int) -> Case:
    """The caller reads the real numbers too, so that the model itself converts them."""
    case = _reals(values, scale=scale, zero_point=zero_point)
    return replace(case, model=replace(case.model, outputs=(*case.model.outputs, 0)))


_QUARTERS = np.arange(-300, 300) / 4
_RANDOM = random().normal(0, 40, 500)

CASES = {
    "int8_same": every_value_case(requantize((0.5, 0.5))),
    "int8_moved": every_value_case(requantize((0.5, 0.5), zero_points=(-128, 127))),
    "int8_factor_above_1": every_value_case(requantize((0.7, 0.2), zero_points=(3, -4))),
    "int8_factor_100": every_value_case(requantize((50.0, 0.5), zero_points=(-128, -128))),
    "int8_factor_below_1": every_value_case(requantize((0.2, 0.7), zero_points=(127, 5))),
    "int8_factor_vanishes": every_value_case(requantize((2.0**-20, 2.0**20))),
    "int8_ties_of_multiplication": every_value_case(requantize((0.5, 1.0))),
    "int8_ties_of_both": every_value_case(requantize((0.5, 2.0), zero_points=(1, -1))),
    "int8_ties_of_shift": every_value_case(requantize((0.5, 8.0))),
    "inside_ties": _inside(_QUARTERS, scale=0.5, zero_point=3),
    "inside_ends": _inside(np.array(FLOAT_ENDS), scale=0.25, zero_point=-128),
    "inside_random": _inside(np.random.default_rng(2).normal(0, 40, 500), scale=0.3, zero_point=-7),
    "float_ties": _reals(_QUARTERS),
    "float_ties_zero_point": _reals(_QUARTERS, zero_point=-128),
    "float_ends": _reals(np.array(FLOAT_ENDS), zero_point=127),
    "float_random": _reals(_RANDOM, scale=0.3, zero_point=-7),
}

SAMPLES = ("int8_same",)
"""Cases between which every kernel is used."""

REJECTED = {
    "uint8_output": Rejected(
        with_tensor(quantize(), 1, dtype="uint8"),
        ("output tensor #1 'output' is uint8, expected int8",),
    ),
    "int16_input": Rejected(
        with_tensor(requantize((1.0, 1.0)), 0, dtype="int16"),
        ("input tensor #0 'input' is int16, expected int8",),
    ),
    "another_shape": Rejected(
        with_tensor(quantize(), 1, shape=(8,)),
        ("output tensor #1 'output' has shape [8], expected [1, 8]",),
    ),
    "output_per_axis": Rejected(
        with_tensor(quantize(), 1, scales=(1.0,) * 8, zero_points=(0,) * 8, axis=1),
        ("output tensor #1 'output' is quantized per axis, expected per tensor",),
    ),
    "factor_too_large": Rejected(
        requantize((1.0, 1e-10)),
        ("output tensor #1 'output' has scale 1e-10, too small for the inputs' 1",),
    ),
}
