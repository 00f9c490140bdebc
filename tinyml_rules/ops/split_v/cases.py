"""Cases of SPLIT_V: axes, sizes, types, and what is refused."""

from __future__ import annotations

from collections.abc import Sequence
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
    with_options,
    with_tensor,
)
from tinyml_rules.ops._shared.cases.moving import Shape, Types, integers
from tinyml_rules.ops._shared.cases.strategies import axes, shapes

TYPES = Types(("int8", "int16", "int32", "float32"), ("int64", "uint8"))


def split_v(
    shape: Shape = (1, 5, 6),
    sizes: Sequence[int] = (2, 3),
    *,
    axis: int = 1,
    dtype: str = "int8",
    of_sizes: str = "int32",
) -> ModelSpec:
    """One of the sizes may be -1, the rest."""
    rest = shape[axis] - sum(size for size in sizes if size >= 0)
    outputs = []
    for place, size in enumerate(sizes):
        result = [*shape]
        result[axis] = rest if size < 0 else size
        outputs.append(plain(f"output_{place}", tuple(result), dtype))
    inputs = [
        plain("input", shape, dtype),
        integers("sizes", sizes, of_sizes),
        int32s("axis", axis),
    ]
    return model_of("SPLIT_V", inputs, *outputs, options={"NumSplits": len(sizes)})


CASES = {
    "outermost": TYPES.case(split_v()),
    "channels": TYPES.case(split_v((1, 3, 2, 6), (1, 2, 3), axis=3)),
    "negative_axis": TYPES.case(split_v(sizes=(4, 2), axis=-1)),
    "the_rest": TYPES.case(split_v((2, 7), (1, -1, 2))),
    "one_part": TYPES.case(split_v(sizes=(5,))),
    "int64_sizes": TYPES.case(split_v(of_sizes="int64")),
    "of_rank_5": TYPES.case(split_v((2, 1, 2, 4, 2), (3, 1), axis=3)),
    **TYPES.cases(lambda dtype: split_v((5, 6), (4, 2), dtype=dtype)),
}


def _rejected(*errors: str, tensor: int, **changes: Any) -> Rejected:
    return Rejected(with_tensor(split_v(), tensor, **changes), errors)


def _sizes(*values: int) -> dict[str, Any]:
    return {"tensor": 1, "data": np.array(values, np.int32)}


REJECTED = {
    "axis_outside": _rejected(
        "axis 3, expected one of 3 dimensions", tensor=2, data=np.array(3, np.int32)
    ),
    "other_number_of_parts": Rejected(
        with_options(split_v(), NumSplits=3), ("2 outputs, but the options say 3",)
    ),
    "more_than_there_are": _rejected(
        "parts of [2, 4] do not make dimension 1 of input tensor #0 'input', 5", **_sizes(2, 4)
    ),
    "two_rests": _rejected(
        "parts of [-1, -1] do not make dimension 1 of input tensor #0 'input', 5", **_sizes(-1, -1)
    ),
    "negative_rest": _rejected(
        "parts of [7, -1] do not make dimension 1 of input tensor #0 'input', 5", **_sizes(7, -1)
    ),
    "other_sizes": _rejected(
        "output tensor #3 'output_0' has shape [1, 2, 6], expected [1, 1, 6]",
        "output tensor #4 'output_1' has shape [1, 3, 6], expected [1, 4, 6]",
        **_sizes(1, 4),
    ),
}


@st.composite
def _models(draw: st.DrawFn) -> Case:
    shape = list(draw(shapes()))
    axis, sizes = draw(axes(len(shape))), draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    shape[axis] = sum(sizes)
    if draw(st.booleans()):
        sizes[draw(st.integers(0, len(sizes) - 1))] = -1
    return TYPES.case(split_v(tuple(shape), sizes, axis=axis, dtype=draw(TYPES.drawn)))


MODELS = _models()
