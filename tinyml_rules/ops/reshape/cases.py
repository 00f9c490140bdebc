"""Cases of RESHAPE: the ways in which files tell the new shape, and what is refused."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from tinyml_rules.model_file.writer import ModelSpec, TensorSpec
from tinyml_rules.ops._shared.cases.case import (
    Case,
    Rejected,
    model_of,
    plain,
    random_case,
    with_tensor,
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

REJECTED = {
    "another_size": Rejected(
        reshape(result=(5, 5)), ("output tensor #1 'output' has 25 values, but the input has 24",)
    ),
    "another_quantization": Rejected(
        with_tensor(reshape(), 1, zero_points=(1,)),
        (
            "output tensor #1 'output' has scale 0.5 and zero point 1, "
            "expected those of the input, 0.5 and -5: "
            "the 8-bit specification asks for one quantization",
        ),
    ),
    "computed_shape": Rejected(
        with_tensor(reshape(operand=(4, 6)), 1, data=None),
        ("shape tensor #1 'shape' is computed at run time, expected a constant",),
    ),
    "int64_shape": Rejected(
        with_tensor(reshape(operand=(4, 6)), 1, dtype="int64", data=np.array([4, 6], np.int64)),
        ("shape tensor #1 'shape' is int64, expected int32",),
    ),
    "another_type": Rejected(
        with_tensor(reshape(), 1, dtype="int32"),
        ("output tensor #1 'output' is int32, expected int8",),
    ),
    "float16": Rejected(
        with_tensor(with_tensor(reshape(), 0, dtype="float16"), 1, dtype="float16"),
        (
            "input tensor #0 'input' is float16, expected int8 or uint8 or int16 or int32 "
            "or int64 or bool or float32",
        ),
    ),
}


@st.composite
def _models(draw: st.DrawFn) -> Case:
    source = draw(shapes(least_rank=0))
    result = draw(reshaped(source))
    where = {name: result for name in ("operand", "option") if draw(st.booleans())}
    return TYPES.case(reshape(source, result, dtype=draw(TYPES.drawn), **where))


MODELS = _models()
