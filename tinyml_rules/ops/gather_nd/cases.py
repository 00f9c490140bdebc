"""Cases of GATHER_ND: constant and computed indices, types, and what is refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.case import (
    Case,
    Rejected,
    filled,
    int32s,
    model_of,
    plain,
    typed,
    with_tensor,
)
from tinyml_rules.ops._shared.cases.moving import Shape, Types
from tinyml_rules.ops._shared.cases.strategies import FEW, shapes

TYPES = Types(("int8", "float32"), ("int16", "int32", "int64", "bool", "uint8"))
EVERY = (*TYPES.tflm, *TYPES.litert)


def gather_nd(
    shape: Shape = (5, 4),
    indices: npt.ArrayLike | None = ((0,), (3,)),
    *,
    of_indices: Shape = (2, 1),
    dtype: str = "int8",
    has_constant: bool = False,
) -> ModelSpec:
    """Indices of None are computed, `of_indices` then is their shape."""
    at = typed("indices", of_indices, "int32") if indices is None else int32s("indices", indices)
    result = (*at.shape[:-1], *shape[at.shape[-1] :])
    source = plain("input", shape, dtype)
    inputs = [filled(source) if has_constant else source, at]
    return model_of("GATHER_ND", inputs, plain("output", result, dtype))


def _case(model: ModelSpec) -> Case:
    """Computed indices are below the smallest dimension."""
    source, indices = model.tensors[:2]
    most = min(source.shape[: indices.shape[-1]])
    return TYPES.case(model, {model.inputs.index(1): most} if 1 in model.inputs else {})


CASES = {
    "rows": _case(gather_nd()),
    "neighbours": _case(gather_nd(indices=((1,), (2,), (3,)))),
    "values": _case(gather_nd(indices=((0, 1), (4, 3), (2, 2)))),
    "one_value": _case(gather_nd(indices=(1, 2))),
    "one_row": _case(gather_nd(indices=(3,))),
    "many": _case(gather_nd((3, 3, 2), ((0, 1), (2, 2), (1, 0), (0, 0), (2, 0), (1, 1), (0, 2)))),
    "matrix_of_places": _case(gather_nd(indices=(((1,), (4,)), ((0,), (0,))))),
    "of_rank_5": _case(gather_nd((2, 2, 2, 2, 3), ((1, 0, 1, 1, 2), (0, 1, 0, 1, 0)))),
    "computed": _case(gather_nd(indices=None)),
    "computed_values": _case(gather_nd((3, 4, 2), None, of_indices=(3, 3))),
    "computed_pairs": _case(gather_nd((3, 4, 2), None, of_indices=(2, 2, 2))),
    "computed_5": _case(gather_nd((2, 2, 3, 2, 2), None, of_indices=(3, 5))),
    **{f"constant_{dtype}": _case(gather_nd(dtype=dtype)) for dtype in EVERY},
    **{f"computed_{dtype}": _case(gather_nd(indices=None, dtype=dtype)) for dtype in EVERY},
    **{
        f"table_{dtype}": _case(gather_nd(indices=None, dtype=dtype, has_constant=True))
        for dtype in EVERY
    },
}

SAMPLES = tuple(
    f"{kind}_{dtype}"
    for kind in ("computed", "table")
    for dtype in ("int8", "int16", "int32", "int64", "float32")
)
"""One case for each kernel."""


def _rejected(*errors: str, tensor: int = 1, **changes: Any) -> Rejected:
    return Rejected(with_tensor(gather_nd(), tensor, **changes), errors)


def _indices(values: Sequence[Sequence[int]]) -> dict[str, Any]:
    data = np.array(values, np.int32)
    return {"shape": data.shape, "data": data}


REJECTED = {
    "index_outside": _rejected(
        "indices tensor #1 'indices' has 5, expected places below 5", **_indices(((0,), (5,)))
    ),
    "negative_index": _rejected(
        "indices tensor #1 'indices' has -1, expected places below 5", **_indices(((-1,), (3,)))
    ),
    "too_many": _rejected(
        "indices tensor #1 'indices' has shape [1, 3], expected 1 to 2 in its last dimension",
        **_indices(((0, 1, 2),)),
    ),
    "no_tuple": Rejected(
        with_tensor(gather_nd(), 1, shape=(), data=np.array(0, np.int32)),
        ("indices tensor #1 'indices' has shape [], expected 1 to 2 in its last dimension",),
    ),
}


@st.composite
def _models(draw: st.DrawFn) -> Case:
    shape = draw(shapes(most_rank=5, most=4))
    depth = draw(st.integers(1, len(shape)))
    counts, dtype = draw(st.lists(FEW, max_size=2)), draw(TYPES.drawn)
    of_indices = (*counts, depth)
    if draw(st.booleans()):
        has_constant = draw(st.booleans())
        return _case(
            gather_nd(shape, None, of_indices=of_indices, dtype=dtype, has_constant=has_constant)
        )
    columns = [
        [draw(st.integers(0, size - 1)) for _ in range(int(np.prod(counts, dtype=int)))]
        for size in shape[:depth]
    ]
    return _case(gather_nd(shape, np.array(columns).T.reshape(of_indices), dtype=dtype))


MODELS = _models()
