"""Cases of AVERAGE_POOL_2D: those of all pooling, and averages that tie."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tinyml_rules.arithmetic.fixed_point import Activation
from tinyml_rules.ops._shared.cases.case import EVERY_INT8, Case, Rejected, random_case
from tinyml_rules.ops._shared.cases.pooling import (
    VALID,
    pool,
    pool_models,
    pooling_cases,
    pooling_rejected,
)
from tinyml_rules.ops._shared.cases.reals import real_models
from tinyml_rules.ops._shared.cases.shorts import in_shorts, many_shorts
from tinyml_rules.ops._shared.cases.uint8 import uint8_cases, uint8_models

_OPERATOR = "AVERAGE_POOL_2D"


def _neighbours(step: int) -> Case:
    """Pairs (value, value + step) side by side: an odd step gives only averages of some .5."""
    values = EVERY_INT8[: 256 - step].astype(np.int64)
    pairs = np.stack([values, values + step], axis=-1).astype(np.int8)
    model = pool(_OPERATOR, (1, 1, 2, 1), (1, 2), strides=(1, 1), padding=VALID)
    return Case(model, (pairs.reshape(-1, 1, 1, 2, 1),))


def _short_neighbours() -> Case:
    """The same of int16: each value next to the one above it."""
    values = many_shorts().reshape(-1, 1, 1, 1, 1).clip(-32768, 32766)
    model = pool(_OPERATOR, (1, 1, 2, 1), (1, 2), strides=(1, 1), padding=VALID)
    return Case(in_shorts(model), (np.concatenate([values, values + 1], axis=3).astype(np.int16),))


def of_ends(
    image: tuple[int, int, int, int], window: tuple[int, int], *, dtype: npt.DTypeLike = np.int8
) -> Case:
    """Sums as small and as large as they can be."""
    model = pool(_OPERATOR, image, window, padding=VALID)
    limits = np.iinfo(np.dtype(dtype))
    ends = np.stack([np.full(image, end, dtype) for end in (limits.min, limits.max)])
    return Case(model if limits.bits == 8 else in_shorts(model), (ends,))


CASES = {
    **pooling_cases(_OPERATOR),
    "nine_channels": random_case(pool(_OPERATOR, (2, 5, 6, 9), (3, 3))),
    "eight_channels_relu": random_case(
        pool(_OPERATOR, (1, 5, 6, 8), (3, 2), activation=Activation.RELU)
    ),
    "ten_channels_whole_image": random_case(pool(_OPERATOR, (1, 5, 6, 10), (5, 6), padding=VALID)),
    "ends_of_255_cells": of_ends((1, 15, 17, 9), (15, 17)),
    "ends_of_256_cells": of_ends((1, 16, 16, 9), (16, 16)),
    "ties_of_two": _neighbours(1),
    "int16_ties_of_two": _short_neighbours(),
    "int16_ends": of_ends((1, 15, 17, 3), (15, 17), dtype=np.int16),
    "ties_of_two_far_apart": _neighbours(101),
}
CASES |= uint8_cases(
    CASES,
    (
        *("same", "batches", "nine_channels", "eight_channels_relu", "ties_of_two"),
        *("ten_channels_whole_image", "ends_of_256_cells"),
    ),
)
SAMPLES = (
    "uint8_same",
    "same",
    "real_same",
    "int16_same",
    "batches",
    "nine_channels",
    "eight_channels",
    "eight_channels_relu",
    "many_channels",
)
"""Cases between which every kernel is used."""

REJECTED = {
    **pooling_rejected(_OPERATOR),
    "int16_sum_beyond_int32": Rejected(
        in_shorts(pool(_OPERATOR, (1, 256, 257, 1), (256, 257), padding=VALID)),
        (
            "a window over input tensor #0 'input' has 65792 cells, expected at most 65534, of "
            "which int32 holds the sum",
        ),
    ),
    "sum_beyond_int32": Rejected(
        pool(_OPERATOR, (1, 4096, 4096, 1), (4096, 4090), padding=VALID),
        (
            "a window over input tensor #0 'input' has 16752640 cells, expected at most 16711934, "
            "of which int32 holds the sum",
        ),
    ),
}

_POOLS = pool_models("AVERAGE_POOL_2D")
MODELS = _POOLS | real_models(_POOLS) | _POOLS.map(in_shorts) | uint8_models(_POOLS)
