"""Cases of REDUCE_PROD: products as they are, and those of int8 and int16, rescaled after each
factor."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tinyml_rules.ops._shared.cases.case import Case, Reference, Rejected, random, with_tensor
from tinyml_rules.ops._shared.cases.plain_reduction import (
    plain_reduction,
    plain_reduction_cases,
    plain_reduction_models,
    reduction_axes_rejected,
)

Pair = tuple[float, float]

_TYPES = dict.fromkeys(("int32", "int64", "bool", "float32"), Reference.LITERT)
_QUANTIZED = dict.fromkeys(("int8", "int16"), Reference.LITERT)


def _rescaled(
    dtype: str,
    scales: tuple[float, float],
    zero_points: tuple[int, int] = (0, 0),
    *,
    count: int = 3,
) -> Case:
    """Products of `count` random values, of ends, and of small ones, whose products tie."""
    model = plain_reduction(dtype=dtype, operator="REDUCE_PROD", shape=(8, count), over=1)
    tensors = list(model.tensors)
    for place, scale, zero_point in zip((0, 2), scales, zero_points, strict=True):
        tensors[place] = replace(tensors[place], scales=(scale,), zero_points=(zero_point,))
    limits, shape = np.iinfo(dtype), (1, 8, count)
    samples = [
        random(5).integers(limits.min, limits.max, (6, 8, count), endpoint=True),
        np.full(shape, limits.min),
        np.full(shape, limits.max),
        random(6).choice([limits.min, -2, -1, 0, 1, 2, limits.max], (4, 8, count)),
        random(7).integers(-3, 4, (6, 8, count)) + zero_points[0],
    ]
    values = np.clip(np.concatenate(samples), limits.min, limits.max).astype(dtype)
    return Case(replace(model, tensors=tuple(tensors)), (values,), reference=Reference.LITERT)


CASES = {
    **plain_reduction_cases("REDUCE_PROD", _TYPES),
    **plain_reduction_cases("REDUCE_PROD", _QUANTIZED),
    "int8_ties": _rescaled("int8", (0.5, 0.125)),
    "int8_ties_of_two": _rescaled("int8", (0.5, 1.0), count=2),
    "int8_large": _rescaled("int8", (1.0, 127.0), (-128, -128)),
    "int8_saturates": _rescaled("int8", (1.0, 0.5), (127, -3)),
    "int8_wraps": _rescaled("int8", (1.0, 0.01), (127, -3), count=7),
    "int8_vanishes": _rescaled("int8", (2.0**-30, 2.0**20), (5, 100)),
    "int8_of_one": _rescaled("int8", (0.3, 0.2), (5, -100), count=1),
    "int16_ties": _rescaled("int16", (0.5, 0.125)),
    "int16_small": _rescaled("int16", (2.0**-15, 2.0**-15), count=5),
    "int16_wraps": _rescaled("int16", (1.0, 1.0), count=4),
}
SAMPLES = (*(f"{dtype}_rows" for dtype in (*_TYPES, *_QUANTIZED)), "int8_ties", "int16_ties")
"""Cases between which every kernel is used."""

REJECTED = {
    **reduction_axes_rejected("REDUCE_PROD", "int32"),
    "output_scale_too_small": Rejected(
        with_tensor(plain_reduction("REDUCE_PROD", "int8", (4,), 0), 2, scales=(2.0**-36,)),
        (
            "output tensor #2 'output' has scale 1.45519e-11, too small for products of the "
            "input's 0.5",
        ),
    ),
}
MODELS = plain_reduction_models("REDUCE_PROD", {**_TYPES, **_QUANTIZED})
