"""Cases of L2_NORMALIZATION: depths, zero points, short and long vectors, and what is refused."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.case import (
    EVERY_INT8,
    Case,
    Rejected,
    model_of,
    quantized,
    random,
    random_case,
    with_options,
)
from tinyml_rules.ops._shared.cases.reals import in_reals, of_many_sizes, real_cases
from tinyml_rules.ops._shared.cases.strategies import SCALES, ZERO_POINTS, Shape, shapes
from tinyml_rules.ops._shared.cases.uint8 import as_uint8, uint8_cases


def l2_normalization(
    shape: Shape = (2, 6), *, scale: float = 0.5, zero_point: int = -7
) -> ModelSpec:
    """Vectors along the last dimension."""
    return model_of(
        "L2_NORMALIZATION",
        (quantized("input", shape, scale=scale, zero_point=zero_point),),
        quantized("output", shape, scale=1 / 128, zero_point=0),
        options={"FusedActivationFunction": 0},
        version=2,
    )


def _small_vectors() -> Case:
    """Of zeros, of one 1, and others whose squares have small sums."""
    values = random().integers(-2, 3, (40, 1, 3)).astype(np.int8)
    values[:2] = 0
    values[1, 0, 1] = 1
    return Case(l2_normalization((1, 3), zero_point=0), (values,))


def _every_pair_with(value: int, *, zero_point: int) -> Case:
    pairs = np.stack([np.full(256, value, np.int8), EVERY_INT8], axis=-1)
    return Case(l2_normalization((2,), zero_point=zero_point), (pairs,))


CASES = {
    "depth_6": random_case(l2_normalization()),
    "depth_1": random_case(l2_normalization((5, 1))),
    "depth_2": random_case(l2_normalization((3, 2))),
    "depth_300": random_case(l2_normalization((2, 300))),
    "longest_sum": Case(
        l2_normalization((1, 9000), zero_point=-128), (np.full((1, 1, 9000), 127, np.int8),)
    ),
    "image": random_case(l2_normalization((1, 3, 4, 5))),
    "vector": random_case(l2_normalization((7,))),
    "zero_point_lowest": random_case(l2_normalization(zero_point=-128)),
    "zero_point_highest": random_case(l2_normalization(zero_point=127)),
    "small": _small_vectors(),
    "every_value_beside_10": _every_pair_with(10, zero_point=0),
    "every_value_beside_minus_1": _every_pair_with(-1, zero_point=3),
}
CASES |= uint8_cases(
    CASES, ("depth_300", "longest_sum", "small", "every_value_beside_10", "zero_point_lowest")
)
CASES |= real_cases(CASES, ("depth_6", "depth_1", "depth_300", "image"))
CASES["real_short"] = Case(
    CASES["real_depth_6"].model,
    (np.resize(2.0 ** np.arange(-150, 20, 3), (12, 2, 6)).astype(np.float32),),
)
SAMPLES = ("depth_6", "uint8_small", "real_depth_6", "real_short")


@st.composite
def _models(draw: st.DrawFn) -> Case:
    shape = draw(shapes(most=7))
    zero_point = draw(ZERO_POINTS)
    model = l2_normalization(shape, scale=draw(SCALES), zero_point=zero_point)
    if draw(st.booleans()):
        return random_case(model, seed=draw(st.integers(0, 99)))
    near = random(draw(st.integers(0, 99))).integers(-3, 4, (5, *shape)) + zero_point
    return Case(model, (np.clip(near, -128, 127).astype(np.int8),))


MODELS = (
    _models() | _models().map(as_uint8) | _models().map(lambda case: of_many_sizes(in_reals(case)))
)


_FIXED = "expected 1/128 (0.0078125) and 0, which the 8-bit specification fixes"
REJECTED = {
    "too_deep": Rejected(
        l2_normalization((1, 2**15 + 1)),
        (
            "input tensor #0 'input' has 32769 values along the last dimension, "
            "expected at most 32768",
        ),
    ),
    "relu": Rejected(
        with_options(l2_normalization(), FusedActivationFunction=1),
        ("fused activation 1, expected none",),
    ),
}
