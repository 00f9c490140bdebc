"""Cases of RESHAPE: the ways in which files tell the new shape, and what is refused."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from tinyml_rules.model_file.writer import ModelSpec, TensorSpec
from tinyml_rules.ops._shared.cases.case import (
    Case,
    model_of,
    plain,
    random_case,
)
from tinyml_rules.ops._shared.cases.moving import Shape, Types
from tinyml_rules.ops._shared.cases.strategies import reshaped, shapes

TYPES = Types(("int8", "int16", "int32", "int64", "bool", "float32", "uint8"))


def reshape(
    source: Shape = (2, 3, 4),
    result: Shape = (4, 6),
    *,
    operand: Shape | None = None,
    option: Shape | None = None,
    dtype: str = "int8",
) -> ModelSpec:
    """`operand` and `option`: the new shape as a second input, and in the options."""
    inputs = [plain("input", source, dtype)]
    if operand is not None:
        data = np.array(operand, np.int32)
        inputs.append(TensorSpec("shape", data.shape, "int32", data=data))
    return model_of(
        "RESHAPE",
        inputs,
        plain("output", result, dtype),
        options={} if option is None else {"NewShape": option},
        options_table="" if option is None else None,
    )


CASES = {
    "shape_nowhere": random_case(reshape()),
    "shape_in_options": random_case(reshape(option=(4, 6))),
    "shape_as_input": random_case(reshape(operand=(4, 6))),
    "shape_in_both": random_case(reshape(operand=(4, 6), option=(4, 6))),
    "shape_with_open_dimension": random_case(reshape(operand=(-1, 6))),
    "to_vector": random_case(reshape(result=(24,))),
    "to_rank_5": random_case(reshape(result=(1, 2, 3, 2, 2))),
    "from_scalar": random_case(reshape((), (1, 1), operand=(1, 1))),
    **{
        dtype: random_case(reshape(dtype=dtype))
        for dtype in ("int16", "int32", "int64", "bool", "float32", "uint8")
    },
}


@st.composite
def _models(draw: st.DrawFn) -> Case:
    source = draw(shapes(least_rank=0))
    result = draw(reshaped(source))
    where = {name: result for name in ("operand", "option") if draw(st.booleans())}
    return TYPES.case(reshape(source, result, dtype=draw(TYPES.drawn), **where))


MODELS = _models()
