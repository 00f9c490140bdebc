"""Cases of CUMSUM: axes, both options, scales, sums that wrap, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.best_index import axes
from tinyml_rules.ops._shared.cases.case import (
    EVERY_INT8,
    Case,
    Reference,
    Rejected,
    model_of,
    quantized,
    random_case,
    typed,
    with_tensor,
)
from tinyml_rules.ops._shared.cases.strategies import SCALES, ZERO_POINTS, Shape, shapes
from tinyml_rules.ops._shared.cases.strategies import axes as any_axis

_REFERENCES = {
    "int8": Reference.TFLM,
    "float32": Reference.TFLM,
    "int32": Reference.LITERT,
    "int64": Reference.LITERT,
}


def cumsum(
    shape: Shape = (2, 3, 4),
    axis: npt.ArrayLike = 1,
    *,
    dtype: str = "int8",
    exclusive: bool = False,
    reverse: bool = False,
    scales: tuple[float, float] = (0.5, 0.7),
    zero_points: tuple[int, int] = (-7, 11),
) -> ModelSpec:
    """Sums along an axis; pairs are (input, output)."""
    source, result = (
        quantized(name, shape, scale=scale, zero_point=zero_point)
        if dtype == "int8"
        else typed(name, shape, dtype)
        for name, scale, zero_point in zip(("input", "output"), scales, zero_points, strict=True)
    )
    options = {"Exclusive": exclusive, "Reverse": reverse}
    return model_of("CUMSUM", (source, axes(axis)), result, options=options)


def _case(dtype: str = "int8", **changes: Any) -> Case:
    return random_case(cumsum(dtype=dtype, **changes), reference=_REFERENCES[dtype])


def _ties() -> Case:
    """Every value next to a zero, halved."""
    pairs = np.stack([EVERY_INT8, np.zeros(256, np.int8)], axis=-1)
    return Case(cumsum((2,), 0, scales=(1.0, 2.0), zero_points=(0, 0)), (pairs,))


_OPTIONS = {
    "plain": {},
    "exclusive": {"exclusive": True},
    "reverse": {"reverse": True},
    "exclusive_reverse": {"exclusive": True, "reverse": True},
}
CASES = {
    **{
        f"{dtype}_{name}": _case(dtype, **options)
        for dtype in _REFERENCES
        for name, options in _OPTIONS.items()
    },
    **{f"{dtype}_along": _case(dtype, axis=2) for dtype in _REFERENCES},
    "first": _case(axis=0),
    "last": _case(axis=2, reverse=True),
    "last_negative": _case(axis=-1),
    "axis_of_rank_1": _case(axis=[1]),
    "vector": _case(shape=(9,), axis=0),
    "one_value": _case(shape=(3, 1), axis=1),
    "rank_5": _case(shape=(2, 2, 3, 2, 2), axis=2, exclusive=True),
    "wraps": _case(shape=(40,), axis=0, scales=(0.5, 16.0), zero_points=(127, 0)),
    "steep": _case(scales=(2.0, 2.0**-17)),
    "flat": _case(scales=(0.001, 9.0)),
    "zero_points_at_the_ends": _case(zero_points=(-128, 127)),
    "zero_points_at_the_other_ends": _case(zero_points=(127, -128)),
    "ties": _ties(),
}
SAMPLES = tuple(f"{dtype}_{kind}" for dtype in _REFERENCES for kind in ("plain", "along"))
"""Cases between which every kernel is used."""


@st.composite
def _models(draw: st.DrawFn) -> Case:
    dtype, shape = draw(st.sampled_from(sorted(_REFERENCES))), draw(shapes(most_rank=5))
    model = cumsum(
        shape,
        draw(any_axis(len(shape))),
        dtype=dtype,
        exclusive=draw(st.booleans()),
        reverse=draw(st.booleans()),
        scales=(draw(SCALES), draw(SCALES)),
        zero_points=(draw(ZERO_POINTS), draw(ZERO_POINTS)),
    )
    return random_case(model, seed=draw(st.integers(0, 99)), reference=_REFERENCES[dtype])


MODELS = _models()


def _rejected(*errors: str, tensor: int, **changes: Any) -> Rejected:
    return Rejected(with_tensor(cumsum(), tensor, **changes), errors)


REJECTED = {
    "scale_too_small": _rejected(
        "output tensor #2 'output' has scale 9.53674e-07, too small for the input's 0.5",
        tensor=2,
        scales=(2.0**-20,),
    ),
    "axis_outside": _rejected(
        "axis -4 of input tensor #0 'input', which has 3 dimensions",
        tensor=1,
        data=np.array(-4, np.int32),
    ),
}
