"""Cases of LOG_SOFTMAX: depths, scales from flat to a table of one entry, and what is refused."""

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
    random_case,
)
from tinyml_rules.ops._shared.cases.reals import real_cases
from tinyml_rules.ops._shared.cases.strategies import SCALES, ZERO_POINTS, Shape, shapes


def log_softmax(shape: Shape = (1, 10), *, scale: float = 0.1, zero_point: int = 5) -> ModelSpec:
    """A LOG_SOFTMAX node, along the last dimension."""
    return model_of(
        "LOG_SOFTMAX",
        (quantized("input", shape, scale=scale, zero_point=zero_point),),
        quantized("output", shape, scale=1 / 16, zero_point=127),
        version=2,
    )


def _every_distance(scale: float) -> Case:
    """The highest value next to each value once."""
    pairs = np.stack([np.full(256, 127, np.int8), EVERY_INT8], axis=-1)
    return Case(log_softmax((1, 2), scale=scale), (pairs.reshape(-1, 1, 2),))


CASES = {
    "depth_1": random_case(log_softmax((3, 1))),
    "depth_2": random_case(log_softmax((1, 2))),
    "depth_10": random_case(log_softmax()),
    "depth_1000": random_case(log_softmax((1, 1000))),
    "batches": random_case(log_softmax((5, 4))),
    "rank_1": random_case(log_softmax((7,))),
    "rank_4": random_case(log_softmax((1, 2, 3, 5))),
    **{
        f"equal_{depth}": Case(log_softmax((depth,)), (np.zeros((1, depth), np.int8),))
        for depth in (1, 2, 3, 4, 5, 6, 7, 8, 11, 16, 23, 4095)
    },
    "scale_flat": random_case(log_softmax(scale=0.0001)),
    "scale_least": random_case(log_softmax(scale=2.0**-25)),
    "scale_steep": random_case(log_softmax(scale=3.0)),
    "table_of_one_entry": random_case(log_softmax(scale=100.0)),
    "scale_beyond_int32": random_case(log_softmax(scale=1e9)),
    "every_distance": _every_distance(0.05),
    "every_distance_in_halves": _every_distance(1 / 32),
    "every_distance_at_the_radius": _every_distance(31 / 255),
    "every_distance_coarse": _every_distance(0.9),
}

CASES |= real_cases(CASES, ("depth_1", "depth_10", "rank_4"))
SAMPLES = ("depth_1", "real_depth_10")
"""Cases between which every kernel is used."""


@st.composite
def _models(draw: st.DrawFn) -> ModelSpec:
    shape, zero_point = draw(shapes(most=8)), draw(ZERO_POINTS)
    return log_softmax(shape, scale=draw(SCALES), zero_point=zero_point)


MODELS = _models()


_FIXED = "expected 1/16 (0.0625) and 127, which the 8-bit specification fixes"
REJECTED = {
    "too_deep": Rejected(
        log_softmax((1, 4096)),
        (
            "input tensor #0 'input' has 4096 values along the last dimension, "
            "expected at most 4095",
        ),
    ),
    "scale_too_small": Rejected(
        log_softmax(scale=2.0**-26),
        ("input tensor #0 'input' has scale 1.49012e-08, expected above 2^-26",),
    ),
}
