"""Cases of SPACE_TO_BATCH_ND: blocks, paddings, types, and what is refused.

With paddings LiteRT is the reference: TFLM fills them with what happens to be on its stack.
"""

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
from tinyml_rules.ops._shared.cases.moving import Types, by_litert
from tinyml_rules.ops._shared.cases.strategies import FEW

TYPES = Types(("int8", "float32"), ("int16", "int32", "int64", "bool", "uint8"))


def space_to_batch_nd(
    shape: Shape = (1, 4, 6, 2),
    sizes: Sequence[int] = (2, 3),
    paddings: Pairs = ((0, 0), (0, 0)),
    *,
    dtype: str = "int8",
) -> ModelSpec:
    """`sizes` of the blocks; `paddings` before and after."""
    batches, *inner, channels = shape
    rows = zip(inner, sizes, paddings, strict=True)
    inner = [(size + sum(pair)) // block for size, block, pair in rows]
    result = (batches * int(np.prod(sizes)), *inner, channels)
    operands = [int32s("blocks", sizes), int32s("paddings", paddings)]
    inputs = [plain("input", shape, dtype), *operands]
    return model_of("SPACE_TO_BATCH_ND", inputs, plain("output", result, dtype))


CASES = {
    "blocks": random_case(space_to_batch_nd()),
    "rows": random_case(space_to_batch_nd(sizes=(4, 1))),
    "columns": random_case(space_to_batch_nd(sizes=(1, 2))),
    "nothing": random_case(space_to_batch_nd(sizes=(1, 1))),
    "batches": random_case(space_to_batch_nd((2, 2, 4, 3), (2, 2))),
    "of_rank_3": random_case(space_to_batch_nd((2, 6, 3), (3,), ((0, 0),))),
    "with_paddings": by_litert(space_to_batch_nd((1, 5, 4, 2), (2, 2), ((1, 2), (2, 0)))),
    **TYPES.cases(lambda dtype: space_to_batch_nd(dtype=dtype)),
}


def _rejected(*errors: str, tensor: int, **changes: Any) -> Rejected:
    return Rejected(with_tensor(space_to_batch_nd(), tensor, **changes), errors)


REJECTED = {
    "blocks_of_0": _rejected(
        "block shape tensor #1 'blocks' has a number below 1",
        tensor=1,
        data=np.array([2, 0], np.int32),
    ),
    "negative_paddings": _rejected(
        "paddings tensor #2 'paddings' has a negative number",
        tensor=2,
        data=np.array([[-1, 1], [0, 0]], np.int32),
    ),
    "parts_of_blocks": _rejected(
        "blocks of [2, 4] do not divide the padded image, [4, 6]",
        tensor=1,
        data=np.array([2, 4], np.int32),
    ),
}


@st.composite
def _models(draw: st.DrawFn) -> Case:
    """With paddings by LiteRT."""
    count, pads = draw(st.integers(1, 2)), st.integers(0, 3) if draw(st.booleans()) else st.just(0)
    sizes, inner = ([draw(FEW) for _ in range(count)] for _ in range(2))
    pairs = [(draw(pads), draw(pads)) for _ in range(count)]
    rows = zip(inner, sizes, pairs, strict=True)
    fitting = [max(block * size - sum(pair), 1) for size, block, pair in rows]
    rows = zip(fitting, sizes, pairs, strict=True)
    pairs = [
        (before, after + -(size + before + after) % block) for size, block, (before, after) in rows
    ]
    shape = (draw(FEW), *fitting, draw(FEW))
    model = space_to_batch_nd(shape, sizes, pairs, dtype=draw(TYPES.drawn))
    return by_litert(model) if any(map(any, pairs)) else TYPES.case(model)


MODELS = _models()
