"""Cases of MIRROR_PAD: both modes, types, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.border import Pairs, padded
from tinyml_rules.ops._shared.cases.case import (
    Case,
    Rejected,
    model_of,
    plain,
    with_options,
    with_tensor,
)
from tinyml_rules.ops._shared.cases.moving import Shape, Types, integers
from tinyml_rules.ops._shared.cases.strategies import shapes

REFLECT, SYMMETRIC = 0, 1
TYPES = Types(("int8", "float32"), ("int16", "int32", "int64", "uint8"))


def mirror_pad(
    shape: Shape = (3, 4),
    pairs: Pairs = ((1, 2), (2, 0)),
    mode: int = REFLECT,
    *,
    dtype: str = "int8",
    of_pairs: str = "int32",
) -> ModelSpec:
    """Cells before and after, along each dimension."""
    result = plain("output", padded(shape, pairs), dtype)
    inputs = [plain("input", shape, dtype), integers("paddings", pairs, of_pairs)]
    return model_of("MIRROR_PAD", inputs, result, options={"Mode": mode})


CASES = {
    "reflect": TYPES.case(mirror_pad()),
    "symmetric": TYPES.case(mirror_pad(mode=SYMMETRIC)),
    "most_reflect": TYPES.case(mirror_pad(pairs=((2, 2), (3, 3)))),
    "most_symmetric": TYPES.case(mirror_pad((3, 2), ((3, 3), (2, 2)), SYMMETRIC)),
    "rows": TYPES.case(mirror_pad(pairs=((1, 1), (0, 0)))),
    "nothing": TYPES.case(mirror_pad(pairs=((0, 0), (0, 0)))),
    "image": TYPES.case(mirror_pad((1, 4, 5, 3), ((0, 0), (1, 2), (2, 1), (0, 0)))),
    "channels": TYPES.case(mirror_pad((1, 2, 3, 4), ((0, 0), (0, 0), (0, 0), (3, 1)))),
    "everywhere": TYPES.case(mirror_pad((2, 3, 2, 2), ((1, 1), (0, 2), (1, 1), (1, 0)))),
    "int64_paddings": TYPES.case(mirror_pad(of_pairs="int64")),
    "vector": TYPES.case(mirror_pad((5,), ((4, 3),))),
    **TYPES.cases(lambda dtype: mirror_pad((3, 3), ((1, 1), (1, 1)), dtype=dtype)),
}


def _rejected(*errors: str, tensor: int, **changes: Any) -> Rejected:
    return Rejected(with_tensor(mirror_pad(), tensor, **changes), errors)


SAMPLES = ("image", "float32")
"""Cases with each form of copies."""

REJECTED = {
    "negative_paddings": _rejected(
        "paddings tensor #1 'paddings' has a negative number",
        tensor=1,
        data=np.array([[-1, 4], [2, 0]], np.int32),
    ),
    "unknown_mode": Rejected(
        mirror_pad(mode=2), ("mode 2, expected 0 (REFLECT) or 1 (SYMMETRIC)",)
    ),
    "more_than_there_are": Rejected(
        mirror_pad(pairs=((1, 2), (4, 0))),
        ("4 cells beside dimension 1 of input tensor #0 'input', expected at most 3",),
    ),
    "more_than_there_are_symmetric": Rejected(
        with_options(mirror_pad(pairs=((1, 2), (5, 0))), Mode=SYMMETRIC),
        ("5 cells beside dimension 1 of input tensor #0 'input', expected at most 4",),
    ),
}


@st.composite
def _models(draw: st.DrawFn) -> Case:
    shape, mode = draw(shapes()), draw(st.sampled_from((REFLECT, SYMMETRIC)))
    most = [size if mode == SYMMETRIC else size - 1 for size in shape]
    pairs = [(draw(st.integers(0, each)), draw(st.integers(0, each))) for each in most]
    places = draw(st.sampled_from(("int32", "int64")))
    return TYPES.case(mirror_pad(shape, pairs, mode, dtype=draw(TYPES.drawn), of_pairs=places))


MODELS = _models()
