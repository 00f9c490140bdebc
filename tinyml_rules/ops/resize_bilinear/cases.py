"""Cases of RESIZE_BILINEAR: sizes, options, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.case import (
    Rejected,
    int32s,
    model_of,
    quantized,
    random_case,
    with_options,
    with_tensor,
)
from tinyml_rules.ops._shared.cases.reals import real_cases, real_models
from tinyml_rules.ops._shared.cases.strategies import FEW, SIZES, ZERO_POINTS
from tinyml_rules.ops._shared.cases.uint8 import uint8_cases
from tinyml_rules.ops._shared.cases.weighted import Image, Pair


def resize_bilinear(
    image: Image = (1, 3, 4, 2),
    size: Pair = (6, 8),
    *,
    align_corners: bool = False,
    half_pixel_centers: bool = False,
    zero_point: int = -5,
) -> ModelSpec:
    """`size` of the output, (rows, columns)."""
    return model_of(
        "RESIZE_BILINEAR",
        (quantized("input", image, zero_point=zero_point), int32s("size", size)),
        quantized("output", (image[0], *size, image[3]), zero_point=zero_point),
        options={"AlignCorners": align_corners, "HalfPixelCenters": half_pixel_centers},
        version=3,
    )


_WAYS: dict[str, dict[str, bool]] = {
    "": {},
    "_corners": {"align_corners": True},
    "_centers": {"half_pixel_centers": True},
}
_SIZES: dict[str, tuple[Image, Pair]] = {
    "twice": ((1, 3, 4, 2), (6, 8)),
    "thrice": ((1, 2, 3, 3), (6, 9)),
    "by_parts": ((1, 5, 4, 2), (7, 9)),
    "smaller": ((1, 7, 9, 2), (3, 4)),
    "half": ((1, 6, 8, 1), (3, 4)),
    "same": ((1, 4, 5, 2), (4, 5)),
    "from_one": ((1, 1, 1, 3), (4, 5)),
    "to_one": ((1, 4, 5, 3), (1, 1)),
    "rows": ((1, 3, 4, 2), (8, 4)),
    "columns": ((1, 3, 4, 2), (3, 7)),
    "batches": ((3, 2, 3, 2), (4, 5)),
    "many": ((1, 9, 2, 1), (23, 31)),
}
CASES = {
    **{
        f"{name}{suffix}": random_case(resize_bilinear(image, size, **way))
        for name, (image, size) in _SIZES.items()
        for suffix, way in _WAYS.items()
    },
    "lowest_zero_point": random_case(resize_bilinear(zero_point=-128)),
    "highest_zero_point": random_case(resize_bilinear(zero_point=127)),
}
_OF_UINT8 = ("half", "half_centers", "twice_centers", "same_corners", "from_one_corners", "to_one")
CASES |= uint8_cases(
    {
        **CASES,
        "fourfold": random_case(resize_bilinear(size=(12, 16))),
        "fourfold_centers": random_case(resize_bilinear(size=(12, 16), half_pixel_centers=True)),
        "eightfold_corners": random_case(resize_bilinear(size=(17, 25), align_corners=True)),
    },
    (*_OF_UINT8, "fourfold", "fourfold_centers", "eightfold_corners"),
)
CASES |= real_cases(
    CASES, [f"{name}{suffix}" for name in _SIZES if name != "rows" for suffix in _WAYS]
)
SAMPLES = ("uint8_fourfold", "by_parts", "batches", "real_by_parts", "real_batches_centers")


def _rejected(*errors: str, **changes: Any) -> Rejected:
    """The default node with changes to `tensor` number, or to options."""
    model = resize_bilinear()
    if "tensor" in changes:
        return Rejected(with_tensor(model, changes.pop("tensor"), **changes), errors)
    return Rejected(with_options(model, **changes), errors)


REJECTED = {
    "both_options": Rejected(
        resize_bilinear(align_corners=True, half_pixel_centers=True),
        ("align_corners and half_pixel_centers together: TFLM takes one of them",),
    ),
    "another_size": _rejected(
        "size tensor #1 'size' has [6, 7], expected [6, 8]",
        tensor=1,
        data=np.array([6, 7], np.int32),
    ),
    "size_of_three": _rejected(
        "size tensor #1 'size' has [6, 8, 2], expected [6, 8]",
        tensor=1,
        shape=(3,),
        data=np.array([6, 8, 2], np.int32),
    ),
    "another_channel": _rejected(
        "output tensor #2 'output' has shape [1, 6, 8, 3], expected [1, 6, 8, 2]",
        tensor=2,
        shape=(1, 6, 8, 3),
    ),
    "scale_that_leaves_the_image": Rejected(
        resize_bilinear((1, 1, 4, 2), (150, 8)),
        (
            "150 from 1 rows or columns of input tensor #0 'input': "
            "TFLM rounds the scale so that it reads beyond them",
        ),
    ),
}


@st.composite
def _models(draw: st.DrawFn) -> ModelSpec:
    return resize_bilinear(
        (draw(st.integers(1, 2)), draw(SIZES), draw(SIZES), draw(FEW)),
        (draw(st.integers(1, 20)), draw(st.integers(1, 20))),
        **draw(st.sampled_from(list(_WAYS.values()))),
        zero_point=draw(ZERO_POINTS),
    )


MODELS = _models() | real_models(_models())
