"""Cases of EXPAND_DIMS: axes, types, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.case import (
    Case,
    Rejected,
    int32s,
    model_of,
    plain,
    random_case,
    with_tensor,
)
from tinyml_rules.ops._shared.cases.moving import Shape, Types
from tinyml_rules.ops._shared.cases.strategies import axes, shapes

TYPES = Types(("int8", "int16", "float32"), ("int32", "int64", "bool", "uint8"))


def expand_dims(shape: Shape = (2, 3), axis: int = 0, *, dtype: str = "int8") -> ModelSpec:
    """One more dimension at `axis`, which counts from after the last one if it is negative."""
    place = axis + len(shape) + 1 if axis < 0 else axis
    result = plain("output", (*shape[:place], 1, *shape[place:]), dtype)
    return model_of("EXPAND_DIMS", [plain("input", shape, dtype), int32s("axis", axis)], result)


CASES = {
    "first": random_case(expand_dims()),
    "middle": random_case(expand_dims(axis=1)),
    "last": random_case(expand_dims(axis=2)),
    "negative_last": random_case(expand_dims(axis=-1)),
    "negative_first": random_case(expand_dims(axis=-3)),
    "scalar": random_case(expand_dims(())),
    "of_rank_4": random_case(expand_dims((1, 2, 3, 2), axis=3)),
    **TYPES.cases(lambda dtype: expand_dims(dtype=dtype)),
}


def _rejected(*errors: str, tensor: int, **changes: Any) -> Rejected:
    return Rejected(with_tensor(expand_dims(), tensor, **changes), errors)


REJECTED = {
    "axis_outside": _rejected(
        "axis 3, expected one of 3 dimensions", tensor=1, data=np.array(3, np.int32)
    ),
}


@st.composite
def _models(draw: st.DrawFn) -> Case:
    shape = draw(shapes(least_rank=0))
    return TYPES.case(expand_dims(shape, draw(axes(len(shape) + 1)), dtype=draw(TYPES.drawn)))


MODELS = _models()
