"""The small model that the reader's tests break, and how they read it."""

from __future__ import annotations

from dataclasses import replace

from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, build_model
from tinyml_rules.ops.fully_connected.cases import dense

MODEL = dense()
"""Tensors: 0 input, 1 weights (6, 10), 2 bias, 3 output."""
DATA = build_model(MODEL)


def operators(*specs: OperatorSpec, model: ModelSpec = MODEL, **changes: object) -> ModelSpec:
    """The model with other operators."""
    return replace(model, operators=specs, **changes)  # type: ignore[arg-type]


def relu(source: int, result: int) -> OperatorSpec:
    """A RELU node between two tensors."""
    return OperatorSpec("RELU", (source,), (result,))
