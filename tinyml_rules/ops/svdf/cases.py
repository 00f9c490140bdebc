"""Cases of SVDF: sequences, states of both types, ties and what is refused."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import strategies as st

from tinyml_rules.model_file.writer import ModelSpec, TensorSpec
from tinyml_rules.ops._shared.cases.case import (
    EVERY_INT8,
    Case,
    Rejected,
    bias,
    constant,
    model_of,
    quantized,
    random,
    random_case,
    with_options,
    with_tensor,
)
from tinyml_rules.ops._shared.cases.reals import in_reals, of_many_sizes, real_cases
from tinyml_rules.ops._shared.cases.strategies import FEW, ZERO_POINTS

Pair = tuple[int, int]

INPUT_SCALE, STATE_SCALE, OUTPUT_SCALE = 0.5, 0.02, 0.25


def svdf(
    *,
    batches: int = 1,
    input_count: int = 5,
    units: int = 4,
    rank: int = 2,
    memory: int = 6,
    dtype: str = "int16",
    zero_points: tuple[int, int, int] = (-7, 0, 11),
    factors: tuple[float, float] | None = None,
    activation: int = 0,
) -> ModelSpec:
    """A layer; zero points are those of input, state and output.  `factors` are what the sums of
    filters and of units are multiplied with; by default both fill their ranges, and leave them."""
    filters, most = units * rank, np.iinfo(dtype).max
    if factors is None:
        first = most / (127 * 128 * math.sqrt(input_count))
        factors = first, 127 / (0.3 * most**2 * math.sqrt(memory * rank))
    source, state, result = zero_points
    weights, times, base, kept = _operands((filters, input_count), (memory, units), dtype, factors)
    return model_of(
        "SVDF",
        (
            quantized("input", (batches, input_count), scale=INPUT_SCALE, zero_point=source),
            *(weights, times, base),
            replace(kept, shape=(batches, memory * filters), zero_points=(state,)),
        ),
        quantized("output", (batches, units), scale=OUTPUT_SCALE, zero_point=result),
        options={"Rank": rank, "FusedActivationFunction": activation},
    )


def _operands(
    shape: Pair, sizes: Pair, dtype: str, factors: tuple[float, float]
) -> tuple[TensorSpec, TensorSpec, TensorSpec, TensorSpec]:
    """(weights of the shape, weights of values kept, bias, state without a shape); the sizes are
    those of memory and output."""
    memory, units = sizes
    state_scale = STATE_SCALE * (256 if dtype == "int8" else 1)
    weight_scale = factors[0] * state_scale / INPUT_SCALE
    time_scale = factors[1] * OUTPUT_SCALE / state_scale
    most = np.iinfo(dtype).max
    times = random(2).integers(-most, most + 1, (shape[0], memory)).astype(dtype)
    return (
        constant("weights", random().integers(-127, 128, shape), scales=(weight_scale,)),
        TensorSpec("times", times.shape, dtype, (time_scale,), (0,), data=times),
        bias(random(3).integers(-5000, 5001, units), scales=(state_scale * time_scale,)),
        TensorSpec("state", (), dtype, scales=(state_scale,), is_variable=True),
    )


def identity(factors: tuple[float, float], *, dtype: str = "int16") -> ModelSpec:
    """One filter of one weight and one value kept, all of them 1."""
    model = svdf(
        input_count=1,
        units=1,
        rank=1,
        memory=1,
        dtype=dtype,
        zero_points=(0, 0, 0),
        factors=factors,
    )
    for index in (1, 2):
        model = with_tensor(model, index, data=np.ones((1, 1), model.tensors[index].dtype))
    return with_tensor(model, 3, data=np.zeros(1, np.int32))


def sequence(model: ModelSpec, *, count: int = 24) -> Case:
    """Random inputs that follow one another, among them many of the ends of int8."""
    generator, shape = random(4), model.tensors[0].shape
    values = generator.integers(-128, 128, (count, *shape)).astype(np.int8)
    values[6:9], values[12:16] = -128, 127
    return Case(model, (values,), is_sequence=True)


def _every_value(model: ModelSpec) -> Case:
    return Case(model, (EVERY_INT8.reshape(-1, 1, 1),), is_sequence=True)


def _in_double(index: int) -> Case:
    """Sums multiplied with 1.5 in double, which is more if a product is rounded to float32."""
    scales = {1: (0.1, 1.5, 1.0, 0.1, 0.1), 2: (0.1, 1.0, 1.5, 0.1, 0.1)}[index]
    model = identity((1.0, 1.0))
    for place, scale in zip((0, 1, 2, 4, 5), scales, strict=True):
        model = with_tensor(model, place, scales=(scale,))
    return _every_value(with_tensor(model, 3, scales=(scales[2] * scales[3],)))


def _wrapping(dtype: str) -> Case:
    """Units whose sums leave int32: at both ends the same value again and again."""
    model = svdf(dtype=dtype, factors=(40.25, 2.0**-26 if dtype == "int16" else 2.0**-8))
    times = np.full(model.tensors[2].shape, np.iinfo(dtype).max, dtype)
    model = with_tensor(model, 2, data=times)
    ends = np.resize([2**31 - 50, -(2**31) + 70], model.tensors[3].shape)
    model = with_tensor(model, 3, data=ends.astype(np.int32))
    weights = random(5).choice([-1, 1], model.tensors[1].shape).astype(np.int8)
    return sequence(with_tensor(model, 1, data=weights))


_GEOMETRY: dict[str, dict[str, Any]] = {
    "plain": {},
    "rank_1": {"rank": 1},
    "rank_3": {"rank": 3, "units": 2},
    "memory_1": {"memory": 1},
    "memory_2": {"memory": 2},
    "one_unit": {"units": 1, "rank": 1},
    "one_input": {"input_count": 1},
    "wide": {"input_count": 40, "units": 8, "rank": 1, "memory": 10},
    "batches": {"batches": 3},
    "relu": {"activation": 1},
    "lowest_zero_points": {"zero_points": (-128, 0, 127)},
    "highest_zero_points": {"zero_points": (127, 0, -128)},
    "small_factors": {"factors": (2.0**-12, 2.0**-10)},
    "vanishing_factors": {"factors": (2.0**-40, 2.0**-40)},
    "large_factors": {"factors": (40.25, 0.001)},
}
_TIES = {
    "ties_of_filters": (0.5, 1.0),
    "ties_of_filters_shifted": (0.25, 1.0),
    "ties_of_units": (1.0, 0.5),
    "ties_of_units_shifted": (1.0, 0.0625),
    "ties_of_both": (0.5, 0.5),
}

CASES = {
    f"{name}_{dtype}": made
    for dtype in ("int16", "int8")
    for name, made in {
        **{name: sequence(svdf(dtype=dtype, **how)) for name, how in _GEOMETRY.items()},
        **{name: _every_value(identity(factors, dtype=dtype)) for name, factors in _TIES.items()},
        "one_by_one": random_case(svdf(dtype=dtype)),
        "sums_wrap": _wrapping(dtype),
    }.items()
}
CASES |= real_cases(CASES, [f"{name}_int16" for name in _GEOMETRY if "point" not in name])
CASES["filters_in_double"], CASES["units_in_double"] = _in_double(1), _in_double(2)
for _point in (-128, -3, 5, 127):
    CASES[f"state_at_{_point}".replace("-", "minus_")] = sequence(
        svdf(dtype="int8", zero_points=(-7, _point, 11))
    )


def _rejected(index: int, *errors: str, **changes: Any) -> Rejected:
    """The plain layer with one tensor changed."""
    return Rejected(with_tensor(svdf(), index, **changes), errors)


SAMPLES = ("plain_int16", "plain_int8", "real_plain_int16")
"""Cases between which every kernel is used."""

REJECTED = {
    "too_many_times": _rejected(
        2,
        "time weights tensor #2 'times' has shape [6, 8], expected 8 vectors",
        shape=(6, 8),
        data=np.zeros((6, 8), np.int16),
    ),
    "bias_of_another_scale": _rejected(
        3,
        "bias tensor #3 'bias' has scale 0.5, expected 2.8455e-08, the product of the scales of "
        "state and time weights",
        scales=(0.5,),
    ),
    "short_state": _rejected(
        4, "state tensor #4 'state' has shape [1, 40], expected [1, 48]", shape=(1, 40)
    ),
    "state_of_the_caller": Rejected(
        replace(svdf(), inputs=(0, 4)),
        ("state tensor #4 'state' is used elsewhere too, which is not supported",),
    ),
    "no_variable": _rejected(
        4,
        "state tensor #4 'state' is not a variable",
        "state tensor #4 'state' is used elsewhere too, which is not supported",
        is_variable=False,
    ),
    "rank_3": Rejected(with_options(svdf(), Rank=3), ("rank 3 of 8 filters, expected a divisor",)),
    "relu6": Rejected(
        with_options(svdf(), FusedActivationFunction=3),
        ("fused activation 3, expected 0 (NONE) or 1 (RELU)",),
    ),
}


@st.composite
def _models(draw: st.DrawFn) -> Case:
    """Layers with states of both types, and what follows one another."""
    dtype = draw(st.sampled_from(("int16", "int8")))
    of_state = draw(ZERO_POINTS) if dtype == "int8" else 0
    factors = st.tuples(st.floats(2.0**-12, 8.0), st.floats(2.0**-16, 2.0))
    model = svdf(
        batches=draw(st.integers(1, 3)),
        input_count=draw(st.integers(1, 20)),
        units=draw(FEW),
        rank=draw(FEW),
        memory=draw(st.integers(1, 8)),
        dtype=dtype,
        zero_points=(draw(ZERO_POINTS), of_state, draw(ZERO_POINTS)),
        factors=draw(st.none() | factors),
        activation=draw(st.integers(0, 1)),
    )
    return sequence(model, count=draw(st.integers(1, 16)))


MODELS = _models() | _models().map(lambda case: of_many_sizes(in_reals(case)))
