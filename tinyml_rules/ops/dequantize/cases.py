"""Cases of DEQUANTIZE: every value, and what is refused."""

from __future__ import annotations

from dataclasses import replace

from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, TensorSpec
from tinyml_rules.ops._shared.cases.case import (
    Rejected,
    every_value_case,
    model_of,
    quantized,
    with_tensor,
)


def dequantize(*, scale: float = 0.1, zero_point: int = 0) -> ModelSpec:
    """From int8 to float32."""
    return model_of(
        "DEQUANTIZE",
        (quantized("input", (1, 64), scale=scale, zero_point=zero_point),),
        TensorSpec("output", (1, 64), "float32"),
        version=2,
    )


def inside() -> ModelSpec:
    """DEQUANTIZE and then RELU of real numbers, so that the model itself converts them."""
    model = dequantize()
    (convert,) = model.operators
    result = len(model.tensors)
    return replace(
        model,
        tensors=(*model.tensors, TensorSpec("positive", (1, 64), "float32")),
        operators=(convert, OperatorSpec("RELU", convert.outputs, (result,))),
        outputs=(result,),
    )


CASES = {
    "inside": every_value_case(inside()),
    "scale_not_exact": every_value_case(dequantize()),
    "lowest_zero_point": every_value_case(dequantize(scale=0.3, zero_point=-128)),
    "highest_zero_point": every_value_case(dequantize(scale=0.7, zero_point=127)),
    "scale_tiny": every_value_case(dequantize(scale=1e-30)),
    "scale_huge": every_value_case(dequantize(scale=1e30, zero_point=1)),
}

REJECTED = {
    "int16_input": Rejected(
        with_tensor(dequantize(), 0, dtype="int16"),
        ("input tensor #0 'input' is int16, expected int8",),
    ),
    "float16_output": Rejected(
        with_tensor(dequantize(), 1, dtype="float16"),
        ("output tensor #1 'output' is float16, expected float32",),
    ),
    "another_shape": Rejected(
        with_tensor(dequantize(), 1, shape=(8, 8)),
        ("output tensor #1 'output' has shape [8, 8], expected [1, 64]",),
    ),
}
