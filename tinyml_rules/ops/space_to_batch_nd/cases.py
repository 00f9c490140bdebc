"""Cases of SPACE_TO_BATCH_ND: blocks, paddings, types, and what is refused.

Without paddings, which TFLM fills with whatever lies on its stack.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import (
    strategies as st,
)

from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.border import (
    Pairs,
    Shape,
    borders,
)
from tinyml_rules.ops._shared.cases.case import (
    Case,
    Reference,
    Rejected,
    int32s,
    model_of,
    plain,
    random_case,
    with_tensor,
)
from tinyml_rules.ops._shared.cases.strategies import (
    FEW,
)


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
    "float32": random_case(space_to_batch_nd(dtype="float32")),
}


def _rejected(*errors: str, tensor: int, **changes: Any) -> Rejected:
    return Rejected(with_tensor(space_to_batch_nd(), tensor, **changes), errors)


REJECTED = {
    "computed_blocks": _rejected(
        "block shape tensor #1 'blocks' is computed at run time, expected a constant",
        tensor=1,
        data=None,
    ),
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
    "of_rank_2": _rejected(
        "input tensor #0 'input' has 2 dimensions, expected 3 or 4", tensor=0, shape=(4, 12)
    ),
    "wrong_output_shape": _rejected(
        "output tensor #3 'output' has shape [6, 2, 2, 1], expected [6, 2, 2, 2]",
        tensor=3,
        shape=(6, 2, 2, 1),
    ),
}


@st.composite
def _models(draw: st.DrawFn) -> Case:
    """Blocks along one dimension or two; LiteRT's answer where there are paddings."""
    rank = draw(st.integers(1, 2))
    sizes = draw(st.lists(FEW, min_size=rank, max_size=rank))
    paddings = draw(st.just([(0, 0)] * rank) | borders(rank=rank))
    inner = []
    for block, pair in zip(sizes, paddings, strict=True):
        least = sum(pair) // block + 1
        inner.append(draw(st.integers(least, least + 2)) * block - sum(pair))
    shape = (draw(st.integers(1, 3)), *inner, draw(FEW))
    model = space_to_batch_nd(
        shape, sizes, paddings, dtype=draw(st.sampled_from(("int8", "float32")))
    )
    is_padded = any(map(any, paddings))
    return random_case(model, reference=Reference.LITERT if is_padded else Reference.TFLM)


MODELS = _models()
