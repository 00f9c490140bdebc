"""Cases of FILL: constant and computed values, types, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.case import (
    Case,
    Rejected,
    filled,
    model_of,
    plain,
    with_tensor,
)
from tinyml_rules.ops._shared.cases.moving import (
    Shape,
    Types,
    integers,
    with_an_input,
)
from tinyml_rules.ops._shared.cases.strategies import shapes

TYPES = Types(("int8", "int32", "float32"), ("int16", "int64", "bool", "uint8"))
EVERY = (*TYPES.tflm, *TYPES.litert)


def fill(
    shape: Shape = (2, 3),
    *,
    dtype: str = "int8",
    of_shape: str = "int32",
    is_constant: bool = False,
) -> ModelSpec:
    """The value is computed unless it `is_constant`."""
    value = plain("value", (), dtype)
    inputs = [integers("dimensions", shape, of_shape), filled(value) if is_constant else value]
    model = model_of("FILL", inputs, plain("output", shape, dtype))
    return with_an_input(model) if is_constant else model


CASES = {
    "vector": TYPES.case(fill((5,))),
    "of_rank_5": TYPES.case(fill((2, 1, 3, 2, 2))),
    "int64_dimensions": TYPES.case(fill(of_shape="int64")),
    **{f"computed_{dtype}": TYPES.case(fill(dtype=dtype)) for dtype in EVERY},
    **{f"constant_{dtype}": TYPES.case(fill(dtype=dtype, is_constant=True)) for dtype in EVERY},
}


def _rejected(*errors: str, tensor: int, **changes: Any) -> Rejected:
    return Rejected(with_tensor(fill(), tensor, **changes), errors)


SAMPLES = ("computed_int8", "constant_float32")
"""Cases with each form of copies."""

REJECTED = {
    "negative_dimension": _rejected(
        "output tensor #2 'output' has shape [2, 3], expected [-2, 3]",
        tensor=0,
        data=np.array([-2, 3], np.int32),
    ),
}


@st.composite
def _models(draw: st.DrawFn) -> Case:
    places, is_constant = draw(st.sampled_from(("int32", "int64"))), draw(st.booleans())
    shape = draw(shapes(most_rank=5))
    return TYPES.case(
        fill(shape, dtype=draw(TYPES.drawn), of_shape=places, is_constant=is_constant)
    )


MODELS = _models()
