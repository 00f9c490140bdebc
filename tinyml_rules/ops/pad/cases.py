"""Cases of PAD: dimensions, types, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.border import Pairs, Shape, padded
from tinyml_rules.ops._shared.cases.case import (
    Case,
    Rejected,
    int32s,
    model_of,
    plain,
    random_case,
    with_tensor,
)
from tinyml_rules.ops._shared.cases.moving import Types
from tinyml_rules.ops._shared.cases.strategies import shapes

TYPES = Types(("int8", "int16", "int32", "float32"), ("int64", "bool", "uint8"))


def pad(
    shape: Shape = (1, 3, 2, 2),
    pairs: Pairs = ((0, 0), (1, 2), (2, 1), (0, 0)),
    *,
    dtype: str = "int8",
) -> ModelSpec:
    """`pairs`: cells before and after, along each dimension."""
    inputs = [plain("input", shape, dtype), int32s("paddings", pairs)]
    return model_of("PAD", inputs, plain("output", padded(shape, pairs), dtype))


CASES = {
    "image": random_case(pad()),
    "rows_alone": random_case(pad(pairs=((0, 0), (1, 2), (0, 0), (0, 0)))),
    "rows_before": random_case(pad(pairs=((0, 0), (1, 0), (0, 0), (0, 0)))),
    "rows_behind": random_case(pad(pairs=((0, 0), (0, 1), (0, 0), (0, 0)))),
    "channels": random_case(pad(pairs=((0, 0), (0, 0), (0, 0), (1, 3)))),
    "everywhere": random_case(pad((2, 3, 2), ((1, 1), (2, 0), (0, 2)))),
    "batches": random_case(pad((2, 3), ((1, 1), (0, 0)))),
    "nothing": random_case(pad((2, 3), ((0, 0), (0, 0)))),
    "vector": random_case(pad((3,), ((2, 1),))),
    "one_value": random_case(pad((1, 1), ((1, 0), (0, 1)))),
    "of_rank_5": random_case(pad((1, 2, 1, 2, 2), ((0, 1), (1, 0), (0, 0), (1, 1), (0, 1)))),
    **TYPES.cases(lambda dtype: pad((2, 3), ((1, 0), (2, 1)), dtype=dtype)),
    **TYPES.cases(lambda dtype: pad((2, 3), ((1, 2), (0, 0)), dtype=dtype), suffix="_rows"),
}


def _rejected(*errors: str, tensor: int, **changes: Any) -> Rejected:
    return Rejected(with_tensor(pad(), tensor, **changes), errors)


REJECTED = {
    "negative_paddings": _rejected(
        "paddings tensor #1 'paddings' has a negative number",
        tensor=1,
        data=np.array([[0, 0], [-1, 4], [2, 1], [0, 0]], np.int32),
    ),
}


@st.composite
def _models(draw: st.DrawFn) -> Case:
    shape, pads = draw(shapes(most=4)), st.integers(0, 3)
    pairs = [(draw(pads), draw(pads)) for _ in shape]
    return TYPES.case(pad(shape, pairs, dtype=draw(TYPES.drawn)))


MODELS = _models()
