"""Cases that SPACE_TO_DEPTH and DEPTH_TO_SPACE share."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.case import (
    Case,
    Rejected,
    model_of,
    plain,
    with_options,
    with_tensor,
)
from tinyml_rules.ops._shared.cases.moving import Shape, Types
from tinyml_rules.ops._shared.cases.strategies import FEW

TYPES = Types(("int8", "float32"), ("int32", "int64", "uint8"))
TO_DEPTH = "SPACE_TO_DEPTH"


def moved_blocks(
    operator: str, shape: Shape = (1, 2, 3, 2), size: int = 2, *, dtype: str = "int8"
) -> ModelSpec:
    """`shape` is that of the deep image, but for its channels, which are those of the other."""
    images, rows, columns, channels = shape
    deep: Shape = (images, rows, columns, channels * size**2)
    flat: Shape = (images, rows * size, columns * size, channels)
    source, result = (flat, deep) if operator == TO_DEPTH else (deep, flat)
    return model_of(
        operator,
        [plain("input", source, dtype)],
        plain("output", result, dtype),
        options={"BlockSize": size},
    )


def depth_cases(operator: str) -> dict[str, Case]:
    """Sizes and types."""
    return {
        "blocks_of_2": TYPES.case(moved_blocks(operator)),
        "blocks_of_3": TYPES.case(moved_blocks(operator, (1, 2, 1, 4), 3)),
        "blocks_of_1": TYPES.case(moved_blocks(operator, size=1)),
        "one_block": TYPES.case(moved_blocks(operator, (1, 1, 1, 3))),
        "one_channel": TYPES.case(moved_blocks(operator, (1, 3, 2, 1))),
        "batches": TYPES.case(moved_blocks(operator, (3, 1, 2, 2))),
        **TYPES.cases(lambda dtype: moved_blocks(operator, dtype=dtype)),
    }


def depth_rejected(operator: str) -> dict[str, Rejected]:
    """What `check` refuses of either."""
    model = moved_blocks(operator)

    def rejected(*errors: str, tensor: int, **changes: Any) -> Rejected:
        return Rejected(with_tensor(model, tensor, **changes), errors)

    return {
        "blocks_of_0": Rejected(
            with_options(model, BlockSize=0), ("block size 0, expected 1 or more",)
        ),
        "negative_blocks": Rejected(
            with_options(model, BlockSize=-2), ("block size -2, expected 1 or more",)
        ),
    }


@st.composite
def depth_models(draw: st.DrawFn, operator: str) -> Case:
    """Images of any size."""
    shape = (draw(FEW), draw(FEW), draw(FEW), draw(FEW))
    return TYPES.case(moved_blocks(operator, shape, draw(FEW), dtype=draw(TYPES.drawn)))
