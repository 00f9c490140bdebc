"""A model of one value that has its own sensor's description beside it."""

from __future__ import annotations

from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, TensorSpec, build_model


def files() -> dict[str, bytes]:
    """The model."""
    tensors = tuple(
        TensorSpec(name, (1, 1), scales=(0.07177440822124481,), zero_points=(-61,))
        for name in ("x", "y")
    )
    return {
        "model.tflite": build_model(
            ModelSpec(tensors, (OperatorSpec("ABS", (0,), (1,)),), (0,), (1,))
        )
    }
