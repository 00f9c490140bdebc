"""Cases of PADV2: values, constant and computed, types, and what is refused."""

from __future__ import annotations

from dataclasses import replace
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

TYPES = Types(("int8", "int16", "int32", "float32"), ("int64", "uint8"))


def padv2(
    shape: Shape = (1, 3, 2, 2),
    pairs: Pairs = ((0, 0), (1, 2), (2, 1), (0, 0)),
    *,
    value: float | None = 7,
    dtype: str = "int8",
) -> ModelSpec:
    """`value`: None for one that is computed."""
    of_cells = plain("value", (), dtype)
    if value is not None:
        of_cells = replace(of_cells, data=np.array(value, dtype))
    inputs = [plain("input", shape, dtype), int32s("paddings", pairs), of_cells]
    return model_of("PADV2", inputs, plain("output", padded(shape, pairs), dtype))


ROWS = ((0, 0), (1, 2), (0, 0), (0, 0))

CASES = {
    "image": random_case(padv2()),
    "rows": random_case(padv2(pairs=ROWS)),
    "lowest": random_case(padv2(value=-128)),
    "zero_point": random_case(padv2(value=-5)),
    "computed": random_case(padv2(value=None)),
    "computed_rows": random_case(padv2(pairs=ROWS, value=None)),
    "computed_single_cells": random_case(padv2((3,), ((1, 1),), value=None)),
    "computed_single_cell": random_case(padv2((3,), ((0, 1),), value=None)),
    "computed_for_nothing": random_case(padv2((3,), ((0, 0),), value=None)),
    "value_as_vector": random_case(with_tensor(padv2(), 2, shape=(1,))),
    "everywhere": random_case(padv2((2, 3, 2), ((1, 1), (2, 0), (0, 2)))),
    "nothing": random_case(padv2((2, 3), ((0, 0), (0, 0)))),
    **{
        f"{dtype}{suffix}": random_case(padv2((2, 3), pairs, value=value, dtype=dtype))
        for dtype, value in (("int16", -300), ("int32", 70_000), ("float32", 0.1))
        for suffix, pairs in (("", ((1, 0), (2, 1))), ("_rows", ((1, 2), (0, 0))))
    },
    **TYPES.cases(lambda dtype: padv2((2, 3), ((1, 0), (0, 1)), dtype=dtype), suffix="_corner"),
    "minus_infinity": random_case(padv2((2, 2), ((1, 1), (1, 1)), value=-np.inf, dtype="float32")),
}


def _rejected(*errors: str, tensor: int, **changes: Any) -> Rejected:
    return Rejected(with_tensor(padv2(), tensor, **changes), errors)


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
    value = draw(st.none() | st.integers(0, 127))
    return TYPES.case(padv2(shape, pairs, value=value, dtype=draw(TYPES.drawn)))


MODELS = _models()
