"""An LSTM as one operator, a loop of TensorFlow's, and a loop with an LSTM in it."""

from __future__ import annotations

from dataclasses import replace

from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, build_model
from tinyml_rules.ops._shared.cases.case import model_of, quantized
from tinyml_rules.ops.while_.cases import loop


def files() -> dict[str, bytes]:
    """By what they hold."""
    made = {"lstm": _one("BIDIRECTIONAL_SEQUENCE_LSTM"), "loop": _flex(), "body": _body()}
    return {f"{name}.tflite": build_model(model) for name, model in made.items()}


def _one(operator: str) -> ModelSpec:
    source, result = (quantized(each, (1, 4), scale=0.5, zero_point=0) for each in ("in", "out"))
    return model_of(operator, [source], result)


def _flex() -> ModelSpec:
    model = _one("CUSTOM")
    (node,) = model.operators
    return replace(model, operators=(replace(node, custom_code="FlexTensorListReserve"),))


def _body() -> ModelSpec:
    condition, body = loop().others
    first, _ = body.operators
    operators = (first, OperatorSpec("ATAN2", (1, 3), (5,)))
    return replace(loop(), others=(condition, replace(body, operators=operators)))
