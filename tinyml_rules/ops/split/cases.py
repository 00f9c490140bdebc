"""Cases of SPLIT: axes, types, numbers of parts, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.case import (
    Case,
    Rejected,
    int32s,
    model_of,
    plain,
    random_case,
    with_options,
    with_tensor,
)
from tinyml_rules.ops._shared.cases.moving import Shape, Types
from tinyml_rules.ops._shared.cases.strategies import FEW, axes, shapes

TYPES = Types(("int8", "int16", "int32", "float32"), ("int64", "uint8"))


def split(
    shape: Shape = (1, 4, 6),
    *,
    axis: int = 1,
    parts: int = 2,
    dtype: str = "int8",
    is_vector: bool = False,
) -> ModelSpec:
    """`is_vector`: the axis is a vector of one value, not a scalar."""
    result = [*shape]
    result[axis] //= parts
    outputs = [plain(f"output_{place}", tuple(result), dtype) for place in range(parts)]
    inputs = [int32s("axis", [axis] if is_vector else axis), plain("input", shape, dtype)]
    return model_of("SPLIT", inputs, *outputs, options={"NumSplits": parts})


CASES = {
    "outermost": random_case(split()),
    "batches": random_case(split((4, 3), axis=0, parts=4)),
    "channels": random_case(split((1, 3, 2, 6), axis=3, parts=3)),
    "negative_axis": random_case(split(axis=-1, parts=3)),
    "negative_outermost": random_case(split(axis=-2)),
    "middle": random_case(split((2, 4, 3), axis=1)),
    "one_part": random_case(split(parts=1)),
    "axis_as_vector": random_case(split(is_vector=True)),
    "vector": random_case(split((12,), axis=0, parts=3)),
    "of_rank_5": random_case(split((2, 1, 2, 4, 2), axis=3)),
    **TYPES.cases(lambda dtype: split((4, 6), axis=0, dtype=dtype), suffix="_outermost"),
    **TYPES.cases(lambda dtype: split((4, 6), axis=1, dtype=dtype), suffix="_inside"),
}


def _rejected(*errors: str, tensor: int, **changes: Any) -> Rejected:
    return Rejected(with_tensor(split(), tensor, **changes), errors)


REJECTED = {
    "axis_outside": _rejected(
        "axis 3, expected one of 3 dimensions", tensor=0, data=np.array(3, np.int32)
    ),
    "other_number_of_parts": Rejected(
        with_options(split(), NumSplits=3), ("2 outputs, but the options say 3",)
    ),
    "unequal_parts": _rejected(
        "dimension 1 of input tensor #1 'input', 5, has no 2 equal parts",
        tensor=1,
        shape=(1, 5, 6),
    ),
}


@st.composite
def _models(draw: st.DrawFn) -> Case:
    shape, parts = list(draw(shapes())), draw(FEW)
    axis, dtype = draw(axes(len(shape))), draw(TYPES.drawn)
    shape[axis] *= parts
    is_vector = draw(st.booleans())
    return TYPES.case(split(tuple(shape), axis=axis, parts=parts, dtype=dtype, is_vector=is_vector))


MODELS = _models()
