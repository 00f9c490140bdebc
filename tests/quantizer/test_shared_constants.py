"""Constants that several nodes read: copies are in the file only where their numbers differ."""

from __future__ import annotations

from collections import Counter

import numpy as np

from tests.quantizer.float_models import reals
from tests.quantizer.runs import graph_of, quantized
from tests.quantizer.test_wrong_input import equals_tflm
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, TensorSpec

STEPS, FEATURES, UNITS = 8, 24, 40


def unrolled() -> ModelSpec:
    """A recurrent network as Keras writes it with `unroll=True`: h = relu(W x + b + U h)."""
    tensors = [
        TensorSpec("x", (1, STEPS * FEATURES), "float32"),
        reals("w", (UNITS, FEATURES)),
        reals("u", (UNITS, UNITS), scale=0.1),
        reals("b", (UNITS,)),
        TensorSpec("axis", (), "int32", data=np.array(1, np.int32)),
    ]

    def made(name: str, size: int) -> int:
        tensors.append(TensorSpec(name, (1, size), "float32"))
        return len(tensors) - 1

    rows = tuple(made(f"x{step}", FEATURES) for step in range(STEPS))
    operators = [OperatorSpec("SPLIT", (4, 0), rows, {"NumSplits": STEPS})]

    def node(op: str, *inputs: int) -> int:
        result = made(f"t{len(tensors)}", UNITS)
        operators.append(OperatorSpec(op, inputs, (result,)))
        return result

    state = node("RELU", node("FULLY_CONNECTED", rows[0], 1, 3))
    for row in rows[1:]:
        both = node("FULLY_CONNECTED", row, 1, 3), node("FULLY_CONNECTED", state, 2)
        state = node("RELU", node("ADD", *both))
    return ModelSpec(tuple(tensors), tuple(operators), (0,), (state,))


def shapes_of_constants(model: bytes) -> Counter[tuple[int, ...]]:
    """How many constants of each shape a file has."""
    return Counter(each.shape for each in graph_of(model).tensors if each.data is not None)


def test_unrolled_network() -> None:
    """Each matrix once for all steps; biases, which are corrected for each, are small."""
    spec = unrolled()
    model = quantized(spec).model
    shapes = shapes_of_constants(model)
    assert shapes[UNITS, FEATURES] == shapes[UNITS, UNITS] == 1
    equals_tflm(model)


def test_other_scales() -> None:
    """A constant that is joined with values of two ranges is there twice, with those of each."""
    tensors = (
        TensorSpec("x", (1, 6), "float32"),
        TensorSpec("y", (1, 6), "float32"),
        reals("c", (1, 6)),
        *(TensorSpec(name, (1, 12), "float32") for name in ("left", "right")),
    )
    joined = [
        OperatorSpec("CONCATENATION", (index, 2), (index + 3,), {"Axis": 1}) for index in (0, 1)
    ]
    spec = ModelSpec(tensors, tuple(joined), (0, 1), (3, 4))
    x = np.random.default_rng(1).normal(0, 3, (12, 1, 6)).astype(np.float32)
    for factor, count in ((1, 1), (7, 2)):
        model = quantized(spec, {"x": x, "y": np.float32(factor) * x}).model
        assert shapes_of_constants(model)[1, 6] == count
        equals_tflm(model)
