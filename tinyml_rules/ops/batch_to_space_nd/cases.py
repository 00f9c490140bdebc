"""Cases of BATCH_TO_SPACE_ND: blocks, crops, types, and what is refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.border import Pairs, Shape
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
from tinyml_rules.ops._shared.cases.strategies import FEW

TYPES = Types(("int8", "float32"), ("int16", "int32", "int64", "bool", "uint8"))


def batch_to_space_nd(
    shape: Shape = (6, 2, 2, 2),
    sizes: Sequence[int] = (2, 3),
    crops: Pairs = ((0, 0), (0, 0)),
    *,
    dtype: str = "int8",
) -> ModelSpec:
    """`sizes` of the blocks; `crops` before and after."""
    batches, *inner, channels = shape
    rows = zip(inner, sizes, crops, strict=True)
    inner = [size * block - sum(pair) for size, block, pair in rows]
    result = (batches // int(np.prod(sizes)), *inner, channels)
    inputs = [plain("input", shape, dtype), int32s("blocks", sizes), int32s("crops", crops)]
    return model_of("BATCH_TO_SPACE_ND", inputs, plain("output", result, dtype))


CASES = {
    "blocks": random_case(batch_to_space_nd()),
    "rows": random_case(batch_to_space_nd(sizes=(3, 1))),
    "columns": random_case(batch_to_space_nd(sizes=(1, 2))),
    "nothing": random_case(batch_to_space_nd(sizes=(1, 1))),
    "batches": random_case(batch_to_space_nd((8, 2, 1, 3), (2, 2))),
    "cropped": random_case(batch_to_space_nd((4, 3, 3, 2), (2, 2), ((1, 2), (2, 0)))),
    "cropped_beyond_a_block": random_case(
        batch_to_space_nd((4, 3, 2, 2), (2, 2), ((3, 2), (0, 1)))
    ),
    "of_rank_3": random_case(batch_to_space_nd((6, 2, 3), (3,), ((1, 0),))),
    **TYPES.cases(lambda dtype: batch_to_space_nd(dtype=dtype)),
    "cropped_float32": random_case(
        batch_to_space_nd((4, 2, 2, 2), (2, 2), ((1, 0), (0, 1)), dtype="float32")
    ),
}


def _rejected(*errors: str, tensor: int, **changes: Any) -> Rejected:
    return Rejected(with_tensor(batch_to_space_nd(), tensor, **changes), errors)


REJECTED = {
    "parts_of_sets": _rejected(
        "6 images, expected a multiple of 4", tensor=1, data=np.array([2, 2], np.int32)
    ),
}


@st.composite
def _models(draw: st.DrawFn) -> Case:
    count = draw(st.integers(1, 2))
    sizes, inner = ([draw(FEW) for _ in range(count)] for _ in range(2))
    crops = []
    for size, block in zip(inner, sizes, strict=True):
        before = draw(st.integers(0, size * block - 1))
        crops.append((before, draw(st.integers(0, size * block - 1 - before))))
    batches = draw(st.integers(1, 2)) * int(np.prod(sizes))
    shape = (batches, *inner, draw(FEW))
    return TYPES.case(batch_to_space_nd(shape, sizes, crops, dtype=draw(TYPES.drawn)))


MODELS = _models()
