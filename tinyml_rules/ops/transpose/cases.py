"""Cases of TRANSPOSE: orders, ranks, types, and what is refused."""

from __future__ import annotations

from collections.abc import Sequence
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
from tinyml_rules.ops._shared.cases.moving import Shape, Types, by_litert
from tinyml_rules.ops._shared.cases.strategies import shapes

TYPES = Types(("int8", "int16", "float32"), ("int32", "int64", "bool", "uint8"))


def transpose(
    shape: Shape = (2, 3, 4), order: Sequence[int] = (2, 0, 1), *, dtype: str = "int8"
) -> ModelSpec:
    """Dimension `order[i]` of the input is dimension i of the output."""
    result = plain("output", tuple(shape[axis] for axis in order), dtype)
    return model_of("TRANSPOSE", [plain("input", shape, dtype), int32s("order", order)], result)


CASES = {
    "rotated": random_case(transpose()),
    "reversed": random_case(transpose(order=(2, 1, 0))),
    "matrix": random_case(transpose((5, 3), (1, 0))),
    "vector": random_case(transpose((5,), (0,))),
    "kept": random_case(transpose(order=(0, 1, 2))),
    "first_kept": random_case(transpose(order=(0, 2, 1))),
    "last_kept": random_case(transpose(order=(1, 0, 2))),
    "channels_first": random_case(transpose((1, 3, 4, 2), (0, 3, 1, 2))),
    "channels_last": random_case(transpose((2, 2, 3, 4), (0, 2, 3, 1))),
    "only_ones_move": random_case(transpose((1, 6, 1, 2), (1, 0, 3, 2))),
    "of_rank_5": random_case(transpose((2, 3, 2, 1, 2), (4, 2, 0, 3, 1))),
    "of_rank_6": by_litert(transpose((2, 3, 2, 1, 2, 3), (4, 2, 5, 0, 3, 1))),
    **TYPES.cases(lambda dtype: transpose(dtype=dtype)),
}


def _rejected(*errors: str, tensor: int, **changes: Any) -> Rejected:
    return Rejected(with_tensor(transpose(), tensor, **changes), errors)


def _order(*values: int) -> dict[str, Any]:
    return {"tensor": 1, "shape": (len(values),), "data": np.array(values, np.int32)}


SAMPLES = ("rotated", "int16", "float32")
"""Cases in which elements are copied."""

REJECTED = {
    "an_axis_twice": _rejected(
        "order tensor #1 'order' is [2, 0, 0], expected each of the 3 dimensions once",
        **_order(2, 0, 0),
    ),
    "too_few_axes": _rejected(
        "order tensor #1 'order' is [1, 0], expected each of the 3 dimensions once",
        **_order(1, 0),
    ),
}


@st.composite
def _models(draw: st.DrawFn) -> Case:
    shape = draw(shapes(most_rank=5))
    order = draw(st.permutations(range(len(shape))))
    return TYPES.case(transpose(shape, order, dtype=draw(TYPES.drawn)))


MODELS = _models()
