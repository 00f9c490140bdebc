"""Cases of SHAPE: ranks, types, and what is refused."""

from __future__ import annotations

import tflite
from hypothesis import strategies as st

from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.case import (
    model_of,
    plain,
    random_case,
    typed,
)
from tinyml_rules.ops._shared.cases.strategies import shapes


def shape(source: tuple[int, ...] = (2, 3, 4), *, dtype: str = "int8") -> ModelSpec:
    """The dimensions of `source`."""
    return model_of(
        "SHAPE",
        [plain("input", source, dtype)],
        typed("output", (len(source),), "int32"),
        options={"OutType": tflite.TensorType.INT32},
    )


CASES = {
    "of_rank_3": random_case(shape()),
    "of_rank_1": random_case(shape((7,))),
    "of_rank_5": random_case(shape((1, 2, 1, 2, 3))),
    **{dtype: random_case(shape(dtype=dtype)) for dtype in ("int16", "int32", "float32")},
}


MODELS = st.builds(
    lambda source, dtype: shape(source, dtype=dtype),
    shapes(most_rank=5),
    st.sampled_from(("int8", "int16", "int32", "float32")),
)
