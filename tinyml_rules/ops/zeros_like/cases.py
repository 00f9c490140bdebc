"""Cases of ZEROS_LIKE: types, and what is refused."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.case import (
    Case,
    Rejected,
    model_of,
    quantized,
    typed,
    with_tensor,
)
from tinyml_rules.ops._shared.cases.moving import Shape, Types
from tinyml_rules.ops._shared.cases.strategies import shapes

TYPES = Types(("int8", "int32", "int64", "float32"))


def zeros_like(shape: Shape = (2, 3), *, dtype: str = "int8") -> ModelSpec:
    """Zeros in a shape."""
    is_quantized = dtype == "int8"
    result = quantized("output", shape) if is_quantized else typed("output", shape, dtype)
    return model_of("ZEROS_LIKE", [typed("input", shape, dtype)], result)


CASES = {
    "of_rank_5": TYPES.case(zeros_like((1, 2, 3, 1, 2))),
    **TYPES.cases(lambda dtype: zeros_like(dtype=dtype)),
}


def _rejected(*errors: str, tensor: int = 1, **changes: Any) -> Rejected:
    return Rejected(with_tensor(zeros_like(), tensor, **changes), errors)


REJECTED = {
    "int16": _rejected(
        "input tensor #0 'input' is int16, expected int8 or int32 or int64 or float32",
        tensor=0,
        dtype="int16",
    ),
    "another_type": _rejected("output tensor #1 'output' is int32, expected int8", dtype="int32"),
    "zero_point": _rejected(
        "output tensor #1 'output' has zero point 3, expected 0", zero_points=(3,)
    ),
    "no_scale": _rejected(
        "output tensor #1 'output' has no scale and zero point", scales=(), zero_points=()
    ),
    "wrong_output_shape": _rejected(
        "output tensor #1 'output' has shape [3, 2], expected [2, 3]", shape=(3, 2)
    ),
}


@st.composite
def _models(draw: st.DrawFn) -> Case:
    return TYPES.case(zeros_like(draw(shapes(most_rank=5)), dtype=draw(TYPES.drawn)))


MODELS = _models()
