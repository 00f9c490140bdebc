"""Cases of SLICE: blocks, types, computed begins, and what is refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.case import Case, Rejected, model_of, plain, typed, with_tensor
from tinyml_rules.ops._shared.cases.moving import Shape, Types, by_litert, integers
from tinyml_rules.ops._shared.cases.strategies import shapes

TYPES = Types(("int8", "int16", "int32", "bool", "float32"), ("int64", "uint8"))


def slice_model(
    shape: Shape = (4, 5),
    begin: Sequence[int] | None = (1, 0),
    size: Sequence[int] = (2, 5),
    *,
    dtype: str = "int8",
    places: str = "int32",
) -> ModelSpec:
    """`begin` None is computed; `places` is the type of the numbers that say where."""
    first = begin or (0,) * len(shape)
    result = tuple(
        most - at if count == -1 else count
        for most, at, count in zip(shape, first, size, strict=True)
    )
    at = typed("begin", (len(shape),), places)
    at = at if begin is None else integers("begin", begin, places)
    inputs = [plain("input", shape, dtype), at, integers("size", size, places)]
    return model_of("SLICE", inputs, plain("output", result, dtype))


def _computed(model: ModelSpec, most: int) -> Case:
    """With begins that are random numbers below."""
    return TYPES.case(model, {1: most})


CASES = {
    "rows": TYPES.case(slice_model()),
    "one_row": TYPES.case(slice_model(size=(1, 5))),
    "columns": TYPES.case(slice_model(begin=(0, 1), size=(4, 3))),
    "all": TYPES.case(slice_model(begin=(0, 0), size=(4, 5))),
    "to_the_end": TYPES.case(slice_model(begin=(1, 2), size=(-1, -1))),
    "int64_places": TYPES.case(slice_model(begin=(1, 2), size=(-1, 2), places="int64")),
    "vector": TYPES.case(slice_model((7,), (2,), (3,))),
    "of_rank_4": TYPES.case(slice_model((2, 3, 4, 5), (0, 1, 1, 2), (2, 2, 2, 3))),
    "of_rank_5": TYPES.case(slice_model((2, 3, 2, 2, 3), (1, 1, 0, 0, 1), (1, 2, 2, 1, 2))),
    "of_rank_6": by_litert(slice_model((2, 3, 2, 2, 3, 2), (1, 1, 0, 0, 1, 0), (1, 2, 2, 1, 2, 1))),
    "computed_begin": _computed(slice_model((5, 6), None, (2, 3)), 3),
    "computed_row": _computed(slice_model((5, 1, 3), None, (1, 1, 3)), 1),
    "computed_begin_of_int64": _computed(slice_model((5, 6), None, (2, 3), places="int64"), 3),
    "computed_begin_of_floats": _computed(
        slice_model((2, 4, 3), None, (1, 2, 2), dtype="float32"), 2
    ),
    **TYPES.cases(lambda dtype: slice_model(begin=(1, 1), size=(2, 3), dtype=dtype)),
}


def _rejected(*errors: str, tensor: int, **changes: Any) -> Rejected:
    return Rejected(with_tensor(slice_model(), tensor, **changes), errors)


SAMPLES = ("rows", "computed_begin", "computed_begin_of_int64")
"""Cases with each form of copies."""

REJECTED = {
    "computed_to_the_end": Rejected(
        with_tensor(slice_model(size=(2, -1)), 1, data=None),
        ("size tensor #2 'size' has a -1, but the begins are computed at run time",),
    ),
    "negative_begin": _rejected(
        "begin -1 with size 2 exceeds dimension 0 of input tensor #0 'input'",
        tensor=1,
        data=np.array([-1, 0], np.int32),
    ),
    "beyond_the_end": _rejected(
        "begin 3 with size 2 exceeds dimension 0 of input tensor #0 'input'",
        tensor=1,
        data=np.array([3, 0], np.int32),
    ),
    "size_of_minus_2": _rejected(
        "begin 1 with size -2 exceeds dimension 0 of input tensor #0 'input'",
        tensor=2,
        data=np.array([-2, 5], np.int32),
    ),
    "wrong_output_shape": _rejected(
        "output tensor #3 'output' has shape [3, 5], expected [2, 5]", tensor=3, shape=(3, 5)
    ),
}


@st.composite
def _models(draw: st.DrawFn) -> Case:
    shape = draw(shapes(most_rank=5))
    sizes = [draw(st.integers(1, most)) for most in shape]
    rows = list(zip(shape, sizes, strict=True))
    places, dtype = draw(st.sampled_from(("int32", "int64"))), draw(TYPES.drawn)
    if draw(st.booleans()):
        least = min(most - size for most, size in rows)
        return _computed(slice_model(shape, None, sizes, dtype=dtype, places=places), least + 1)
    begin = [draw(st.integers(0, most - size)) for most, size in rows]
    sizes = [
        -1 if at + size == most and draw(st.booleans()) else size
        for at, (most, size) in zip(begin, rows, strict=True)
    ]
    return TYPES.case(slice_model(shape, begin, sizes, dtype=dtype, places=places))


MODELS = _models()
