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
from tinyml_rules.ops._shared.cases.strategies import FEW, shapes

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
}

SAMPLES = tuple(
    f"{kind}_{dtype}"
    for kind in ("computed", "table")
    for dtype in ("int8", "int16", "int32", "int64", "float32")
)
"""One for each kernel."""


def _rejected(*errors: str, tensor: int, **changes: Any) -> Rejected:
    model = embedding_lookup(ids=(4, 0, 0), is_computed=True)
    return Rejected(with_tensor(model, tensor, **changes), errors)


REJECTED = {
    "int64_ids": _rejected(
        "indices tensor #0 'indices' is int64, expected int32",
        tensor=0,
        dtype="int64",
        data=np.array([4, 0, 0], np.int64),
    ),
    "row_outside": _rejected(
        "indices tensor #0 'indices' has 6, expected places below 6",
        tensor=0,
        data=np.array([4, 6, 0], np.int32),
    ),
    "matrix_of_ids": _rejected(
        "indices tensor #0 'indices' has 2 dimensions, expected 1", tensor=0, shape=(1, 3)
    ),
    "vector_as_table": _rejected(
        "table tensor #1 'table' has 1 dimensions, expected 2 or more", tensor=1, shape=(6,)
    ),
    "real_numbers_of_int8": _rejected(
        "output tensor #2 'output' is float32, expected int8", tensor=2, dtype="float32"
    ),
    "wrong_output_shape": _rejected(
        "output tensor #2 'output' has shape [4, 3], expected [3, 4]", tensor=2, shape=(4, 3)
    ),
    "another_quantization": _rejected(
        "output tensor #2 'output' has scale 0.5 and zero point 7, "
        "expected those of the input, 0.5 and -5",
        tensor=2,
        zero_points=(7,),
    ),
}


@st.composite
def _models(draw: st.DrawFn) -> Case:
    shape, dtype = draw(shapes(least_rank=2)), draw(TYPES.drawn)
    if draw(st.booleans()):
        is_computed = draw(st.booleans())
        return _case(embedding_lookup(shape, count=draw(FEW), dtype=dtype, is_computed=is_computed))
    ids = draw(st.lists(st.integers(0, shape[0] - 1), min_size=1, max_size=8))
    return _case(embedding_lookup(shape, ids, dtype=dtype, is_computed=True))


MODELS = _models()
