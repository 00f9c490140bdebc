"""Cases of EMBEDDING_LOOKUP: tables, row numbers, types, and what is refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
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
from tinyml_rules.ops._shared.cases.strategies import FEW, SCALES, shapes

TYPES = Types(("int8", "float32"), ("int16", "int32", "int64", "bool", "uint8"))
EVERY = (*TYPES.tflm, *TYPES.litert)


def embedding_lookup(
    shape: Shape = (6, 4),
    ids: Sequence[int] | None = None,
    *,
    count: int = 3,
    dtype: str = "int8",
    is_computed: bool = False,
) -> ModelSpec:
    """Row numbers of None are computed, `count` of them; the table is a constant unless it
    `is_computed`."""
    at = typed("indices", (count,), "int32") if ids is None else int32s("indices", ids)
    table = plain("table", shape, dtype)
    inputs = [at, table if is_computed else filled(table)]
    return model_of("EMBEDDING_LOOKUP", inputs, plain("output", (*at.shape, *shape[1:]), dtype))


def of_reals(
    shape: Shape = (6, 4), ids: Sequence[int] | None = None, *, scale: float = 0.1, **more: Any
) -> ModelSpec:
    """A table of int8 whose rows come out as float32."""
    model = embedding_lookup(shape, ids, **more)
    model = with_tensor(model, 1, scales=(scale,), zero_points=(0,))
    return with_tensor(model, 2, dtype="float32", scales=(), zero_points=())


def _case(model: ModelSpec) -> Case:
    rows = model.tensors[1].shape[0]
    return TYPES.case(model, {0: rows} if 0 in model.inputs else {})


CASES = {
    "rows": _case(embedding_lookup()),
    "one_row": _case(embedding_lookup(count=1)),
    "matrices": _case(embedding_lookup((5, 2, 3))),
    "single_values": _case(embedding_lookup((7, 1))),
    "constant_ids": _case(embedding_lookup(ids=(4, 0, 0), is_computed=True)),
    "neighbours": _case(embedding_lookup(ids=(2, 3, 4), is_computed=True)),
    **{f"table_{dtype}": _case(embedding_lookup(dtype=dtype)) for dtype in EVERY},
    **{
        f"computed_{dtype}": _case(embedding_lookup(dtype=dtype, is_computed=True))
        for dtype in EVERY
    },
    "real": _case(of_reals((5, 2, 3), is_computed=True)),
    "real_of_table": _case(of_reals((256, 1), count=7, scale=0.7)),
    "real_of_ids": _case(of_reals((5, 3), (4, 0, 0, 2), is_computed=True, scale=1e-30)),
}

SAMPLES = (
    *("real", "real_of_table", "real_of_ids"),
    *(
        f"{kind}_{dtype}"
        for kind in ("computed", "table")
        for dtype in ("int8", "int16", "int32", "int64", "float32")
    ),
)
"""One case for each kernel."""


def _rejected(*errors: str, tensor: int, **changes: Any) -> Rejected:
    model = embedding_lookup(ids=(4, 0, 0), is_computed=True)
    return Rejected(with_tensor(model, tensor, **changes), errors)


REJECTED = {
    "row_outside": _rejected(
        "indices tensor #0 'indices' has 6, expected places below 6",
        tensor=0,
        data=np.array([4, 6, 0], np.int32),
    ),
}


@st.composite
def _models(draw: st.DrawFn) -> Case:
    shape = draw(shapes(least_rank=2))
    more: dict[str, Any] = {"is_computed": True}
    if draw(st.booleans()):
        more = {"count": draw(FEW), "is_computed": draw(st.booleans())}
    else:
        more["ids"] = draw(st.lists(st.integers(0, shape[0] - 1), min_size=1, max_size=8))
    if draw(st.booleans()):
        return _case(of_reals(shape, scale=draw(SCALES), **more))
    return _case(embedding_lookup(shape, dtype=draw(TYPES.drawn), **more))


MODELS = _models()
