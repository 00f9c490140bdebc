"""Cases of DEQUANTIZE: every value of 8 bits, those of 16, and what is refused."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, TensorSpec
from tinyml_rules.ops._shared.cases.case import (
    Rejected,
    every_value_case,
    model_of,
    random_case,
    with_tensor,
)
from tinyml_rules.ops._shared.cases.strategies import SCALES, Shape, shapes
from tinyml_rules.ops.dequantize import TYPES


def dequantize(
    *, scale: float = 0.1, zero_point: int = 0, dtype: str = "int8", shape: Shape = (1, 64)
) -> ModelSpec:
    """From integers to float32."""
    return model_of(
        "DEQUANTIZE",
        (TensorSpec("input", shape, dtype, (scale,), (zero_point,)),),
        TensorSpec("output", shape, "float32"),
        version=2,
    )


def inside(model: ModelSpec) -> ModelSpec:
    """The same and then RELU of real numbers, so that the model itself converts them."""
    (convert,) = model.operators
    result = len(model.tensors)
    return replace(
        model,
        tensors=(*model.tensors, TensorSpec("positive", model.tensors[0].shape, "float32")),
        operators=(convert, OperatorSpec("RELU", convert.outputs, (result,))),
        outputs=(result,),
    )


CASES = {
    "inside": every_value_case(inside(dequantize())),
    **{
        f"inside_{dtype}_{number}": random_case(
            inside(dequantize(scale=scale, zero_point=zero_point, dtype=dtype))
        )
        for dtype, zero_points in (("uint8", (0, 128, 255)), ("int16", (0, -32768, 32767)))
        for number, (scale, zero_point) in enumerate(
            zip((0.1, 1e-30, 0.7), zero_points, strict=True)
        )
    },
    "uint8": random_case(dequantize(zero_point=128, dtype="uint8")),
    "int16": random_case(dequantize(scale=0.001, dtype="int16")),
    "scale_not_exact": every_value_case(dequantize()),
    "lowest_zero_point": every_value_case(dequantize(scale=0.3, zero_point=-128)),
    "highest_zero_point": every_value_case(dequantize(scale=0.7, zero_point=127)),
    "scale_tiny": every_value_case(dequantize(scale=1e-30)),
    "scale_huge": every_value_case(dequantize(scale=1e30, zero_point=1)),
}

SAMPLES = ("inside", "inside_uint8_0", "inside_int16_0")
"""Cases between which every kernel is used."""

REJECTED = {
    "int32_input": Rejected(
        with_tensor(dequantize(), 0, dtype="int32"),
        ("input tensor #0 'input' is int32, expected int8 or uint8 or int16",),
    ),
}


@st.composite
def _models(draw: st.DrawFn) -> ModelSpec:
    dtype = draw(st.sampled_from(TYPES))
    low, high = dtype.limits
    model = dequantize(
        scale=draw(SCALES | st.sampled_from((1e-30, 1e30))),
        zero_point=draw(st.sampled_from((low, high, 0)) | st.integers(low, high)),
        dtype=dtype,
        shape=draw(shapes(least_rank=0)),
    )
    return inside(model) if draw(st.booleans()) else model


MODELS = _models()
