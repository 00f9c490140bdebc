"""Cases of RESIZE_NEAREST_NEIGHBOR: sizes, corners, types, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.case import Case, Rejected, int32s, model_of, plain, with_tensor
from tinyml_rules.ops._shared.cases.moving import Shape, Types
from tinyml_rules.ops._shared.cases.strategies import FEW, SIZES

TYPES = Types(("int8", "int16", "float32"), ("int32", "bool", "uint8"))
Size = tuple[int, int]


def resize(
    shape: Shape = (1, 3, 4, 2),
    size: Size = (6, 8),
    *,
    dtype: str = "int8",
    is_aligned: bool = False,
    is_centered: bool = False,
) -> ModelSpec:
    """`is_aligned`: corners on corners; `is_centered`: pixels have their place in their middle."""
    result = plain("output", (shape[0], *size, shape[3]), dtype)
    return model_of(
        "RESIZE_NEAREST_NEIGHBOR",
        [plain("input", shape, dtype), int32s("size", size)],
        result,
        options={"AlignCorners": is_aligned, "HalfPixelCenters": is_centered},
    )


CORNERS: dict[str, dict[str, Any]] = {
    "plain": {},
    "aligned": {"is_aligned": True},
    "centered": {"is_centered": True},
    "aligned_and_centered": {"is_aligned": True, "is_centered": True},
}
_SIZES: dict[str, Size] = {
    "doubled": (6, 8),
    "larger": (5, 11),
    "smaller": (2, 3),
    "kept": (3, 4),
    "one": (1, 1),
    "rows": (7, 4),
}

CASES = {
    **{
        f"{name}_{corners}": TYPES.case(resize(size=size, **options))
        for name, size in _SIZES.items()
        for corners, options in CORNERS.items()
    },
    "batches": TYPES.case(resize((2, 2, 3, 1), (3, 5))),
    "tripled_one_channel": TYPES.case(resize((1, 2, 3, 1), (6, 9))),
    **TYPES.cases(lambda dtype: resize(dtype=dtype)),
}


def _rejected(*errors: str, tensor: int, **changes: Any) -> Rejected:
    return Rejected(with_tensor(resize(), tensor, **changes), errors)


REJECTED = {
    "negative_size": _rejected(
        "output tensor #2 'output' has shape [1, 6, 8, 2], expected [1, -6, 8, 2]",
        tensor=1,
        data=np.array([-6, 8], np.int32),
    ),
}


@st.composite
def _models(draw: st.DrawFn) -> Case:
    shape = (draw(st.integers(1, 2)), draw(SIZES), draw(SIZES), draw(FEW))
    sizes = st.integers(1, 12)
    size, corners = (draw(sizes), draw(sizes)), CORNERS[draw(st.sampled_from(sorted(CORNERS)))]
    return TYPES.case(resize(shape, size, dtype=draw(TYPES.drawn), **corners))


MODELS = _models()
