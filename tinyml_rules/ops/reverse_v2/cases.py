"""Cases of REVERSE_V2: axes, types, and what is refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.case import Case, Rejected, model_of, plain, with_tensor
from tinyml_rules.ops._shared.cases.moving import Shape, Types, integers
from tinyml_rules.ops._shared.cases.strategies import shapes

TYPES = Types(("int8", "int16", "int32", "int64", "bool", "float32", "uint8"))


def reverse(
    shape: Shape = (2, 3, 4), axes: Sequence[int] = (1,), *, dtype: str = "int8"
) -> ModelSpec:
    """Backwards along the axes."""
    inputs = [plain("input", shape, dtype), integers("axis", axes)]
    return model_of("REVERSE_V2", inputs, plain("output", shape, dtype))


CASES = {
    "middle": TYPES.case(reverse()),
    "first": TYPES.case(reverse(axes=(0,))),
    "last": TYPES.case(reverse(axes=(2,))),
    "negative": TYPES.case(reverse(axes=(-1,))),
    "two": TYPES.case(reverse(axes=(0, 1))),
    "two_in_another_order": TYPES.case(reverse(axes=(2, 1))),
    "all": TYPES.case(reverse(axes=(0, 1, 2))),
    "vector": TYPES.case(reverse((7,), (0,))),
    "of_rank_5": TYPES.case(reverse((2, 3, 2, 2, 2), (1, 2))),
    **TYPES.cases(lambda dtype: reverse(dtype=dtype)),
}


def _rejected(*errors: str, tensor: int = 1, **changes: Any) -> Rejected:
    return Rejected(with_tensor(reverse(), tensor, **changes), errors)


def _axes(*values: int) -> dict[str, Any]:
    return {"shape": (len(values),), "data": np.array(values, np.int32)}


REJECTED = {
    "axis_outside": _rejected(
        "axis 3 of input tensor #0 'input', which has 3 dimensions", **_axes(3)
    ),
    "an_axis_twice": _rejected("axis tensor #1 'axis' names an axis twice", **_axes(1, -2)),
    "axes_apart": _rejected(
        "axis tensor #1 'axis' names the axes [0, 2], expected neighbours", **_axes(0, 2)
    ),
}


@st.composite
def _models(draw: st.DrawFn) -> Case:
    shape = draw(shapes(most_rank=5))
    first = draw(st.integers(0, len(shape) - 1))
    axes = list(range(first, draw(st.integers(first, len(shape) - 1)) + 1))
    signed = [axis - len(shape) if draw(st.booleans()) else axis for axis in axes]
    return TYPES.case(reverse(shape, draw(st.permutations(signed)), dtype=draw(TYPES.drawn)))


MODELS = _models()
