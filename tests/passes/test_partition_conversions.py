"""Conversions at a model's ends are the caller's; whatever computes with real numbers is not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.support.stages import passed
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec
from tinyml_rules.ops._shared.cases.case import quantized, typed
from tinyml_rules.ops.relu.cases import real

SHAPE = (1, 4)


def chain(*operators: str, dtypes: tuple[str, ...]) -> ModelSpec:
    """Operators one behind the other, on tensors of these types."""
    tensors = tuple(
        quantized(f"t{index}", SHAPE) if dtype == "int8" else typed(f"t{index}", SHAPE, dtype)
        for index, dtype in enumerate(dtypes)
    )
    nodes = tuple(
        OperatorSpec(operator, (index,), (index + 1,)) for index, operator in enumerate(operators)
    )
    return ModelSpec(tensors, nodes, (0,), (len(operators),))


@pytest.mark.parametrize(
    ("operators", "dtypes", "left", "ends"),
    [
        (("RELU",), ("float32",) * 2, ("relu",), ("float32", "float32")),
        (("RELU", "RELU"), ("float32",) * 3, ("relu", "relu"), ("float32", "float32")),
        (
            ("DEQUANTIZE", "RELU"),
            ("int8", "float32", "float32"),
            ("dequantize", "relu"),
            ("int8", "float32"),
        ),
        (
            ("RELU", "QUANTIZE"),
            ("float32", "float32", "int8"),
            ("relu", "quantize"),
            ("float32", "int8"),
        ),
        (
            ("QUANTIZE", "DEQUANTIZE", "RELU", "QUANTIZE", "DEQUANTIZE"),
            ("float32", "int8", "float32", "float32", "int8", "float32"),
            ("lookup",),
            ("int8", "int8"),
        ),
        (
            ("RELU", "QUANTIZE", "DEQUANTIZE", "RELU"),
            ("float32", "float32", "int8", "float32", "float32"),
            ("relu", "quantize", "dequantize", "relu"),
            ("float32", "float32"),
        ),
        (("QUANTIZE", "RELU"), ("float32", "int8", "int8"), ("relu",), ("int8", "int8")),
        (("QUANTIZE", "DEQUANTIZE"), ("float32", "int8", "float32"), (), ("int8", "int8")),
    ],
)
def test_what_is_left(
    operators: tuple[str, ...],
    dtypes: tuple[str, ...],
    left: tuple[str, ...],
    ends: tuple[str, str],
) -> None:
    """RELU of real numbers stays, at an end, in the middle and alone."""
    graph = passed(chain(*operators, dtypes=dtypes))
    assert tuple(node.op for node in graph.nodes) == left
    found = (graph.inputs[0], graph.outputs[0])
    assert tuple(graph.tensors[index].dtype for index in found) == ends


def test_conversion_that_is_read_inside() -> None:
    """A real input that two nodes read stays one, and is converted inside."""
    model = chain("QUANTIZE", dtypes=("float32", "int8"))
    relu = replace(real(SHAPE).tensors[1], name="positive")
    model = replace(
        model,
        tensors=(*model.tensors, relu),
        operators=(*model.operators, OperatorSpec("RELU", (0,), (2,))),
        outputs=(1, 2),
    )
    graph = passed(model)
    assert [node.op for node in graph.nodes] == ["quantize", "relu"]
    assert [graph.tensors[index].dtype for index in graph.inputs] == ["float32"]
