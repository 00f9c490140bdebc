"""Cases of DENSIFY: sparse along one dimension or several, in any order, in blocks."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st

from tinyml_rules.model_file.sparsity import Dimension, Sparsity
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, TensorSpec
from tinyml_rules.ops._shared.cases.case import (
    AnyArray,
    Case,
    Reference,
    random,
    random_case,
)
from tinyml_rules.ops._shared.cases.strategies import shapes


def compressed(
    dense: AnyArray,
    order: Sequence[int],
    sparse: Sequence[bool],
    *,
    blocks: dict[int, int] | None = None,
    index_type: str = "int32",
) -> tuple[AnyArray, Sparsity]:
    """The values that a file has of a tensor, and where they are; `sparse` is in the order of the
    walk, `blocks` has the size of each dimension's."""
    blocks, rank = blocks or {}, dense.ndim
    whole = [size // blocks.get(place, 1) for place, size in enumerate(dense.shape)]
    divided = [part for place in range(rank) for part in (whole[place], blocks.get(place, 1))]
    inner = [2 * place + 1 for place in blocks]
    moved = dense.reshape(divided).transpose(
        [
            *(2 * place for place in range(rank)),
            *inner,
            *({2 * p + 1 for p in range(rank)} - {*inner}),
        ]
    )
    walked = moved.reshape([*whole, *blocks.values()]).transpose(order)
    parts, dimensions = [walked], []
    for is_sparse, size in zip(sparse, walked.shape, strict=True):
        found = [[n for n in range(len(part)) if part[n].any() or not is_sparse] for part in parts]
        ends = np.cumsum([0, *map(len, found)]).tolist()
        indices = [n for each in found for n in each]
        dimensions.append(
            Dimension(segments=ends, indices=indices, index_type=index_type)
            if is_sparse
            else Dimension(size)
        )
        parts = [part[n] for part, each in zip(parts, found, strict=True) for n in each]
    return np.array(parts, dense.dtype), Sparsity(order, dimensions, tuple(blocks))


def densify(
    shape: tuple[int, ...],
    order: Sequence[int],
    sparse: Sequence[bool],
    *,
    dtype: str = "float32",
    share: float = 0.3,
    blocks: dict[int, int] | None = None,
    index_type: str = "int32",
) -> ModelSpec:
    """A sum with a sparse constant."""
    generator = random(8)
    dense = generator.integers(-9, 9, shape).astype(dtype) * (generator.random(shape) < share)
    dense.reshape(-1)[-1] = 7  # a tensor of zeros has no values, and then no buffer
    values, sparsity = compressed(
        dense.astype(dtype), order, sparse, blocks=blocks, index_type=index_type
    )
    tensors = (
        TensorSpec("x", shape, dtype),
        TensorSpec("sparse", shape, dtype, data=values, sparsity=sparsity),
        TensorSpec("dense", shape, dtype),
        TensorSpec("y", shape, dtype),
    )
    operators = (OperatorSpec("DENSIFY", (1,), (2,)), OperatorSpec("ADD", (0, 2), (3,)))
    return ModelSpec(tensors, operators, (0,), (3,))


_MODELS = {
    "rows": densify((5, 7), (0, 1), (False, True)),
    "columns": densify((5, 7), (1, 0), (False, True)),
    "both": densify((5, 7), (0, 1), (True, True)),
    "neither": densify((5, 7), (1, 0), (False, False)),
    "uint16": densify((5, 7), (0, 1), (False, True), index_type="uint16"),
    "uint8": densify((5, 7), (0, 1), (False, True), index_type="uint8"),
    "blocks": densify((8, 12), (0, 1, 2, 3), (False, True, False, False), blocks={0: 2, 1: 4}),
    "blocks_of_one": densify((6, 8), (0, 1, 2), (False, True, False), blocks={1: 4}),
    "image": densify((2, 3, 3, 4), (0, 3, 1, 2), (True, False, True, True)),
}
CASES = {name: random_case(model, reference=Reference.LITERT) for name, model in _MODELS.items()}


@st.composite
def _models(draw: st.DrawFn) -> Case:
    """Any shape, order and formats."""
    shape = draw(shapes(most_rank=4, most=4))
    order = draw(st.permutations(range(len(shape))))
    sparse = [draw(st.booleans()) for _ in shape]
    share = draw(st.sampled_from((0.1, 0.5))) if math.prod(shape) else 0.5
    model = densify(shape, order, sparse, share=share)
    return random_case(model, seed=draw(st.integers(0, 99)), reference=Reference.LITERT)


MODELS = _models()
