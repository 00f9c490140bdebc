"""Cases of ZEROS_LIKE: types, and what is refused."""

from __future__ import annotations

from hypothesis import strategies as st

from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.case import (
    Case,
    model_of,
    quantized,
    typed,
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


@st.composite
def _models(draw: st.DrawFn) -> Case:
    return TYPES.case(zeros_like(draw(shapes(most_rank=5)), dtype=draw(TYPES.drawn)))


MODELS = _models()
