"""A float layer two of whose weights are not finite, and a padding with minus infinity."""

from __future__ import annotations

import numpy as np

from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, TensorSpec, build_model


def files() -> dict[str, bytes]:
    """The layer, and the padding, in which the infinity is meant."""
    weights = np.ones((2, 4), np.float32)
    weights[0, 1], weights[1, 3] = np.nan, np.inf
    layer = (
        TensorSpec("x", (1, 4), "float32"),
        TensorSpec("w", (2, 4), "float32", data=weights),
        TensorSpec("y", (1, 2), "float32"),
    )
    connected = OperatorSpec("FULLY_CONNECTED", (0, 1, -1), (2,))
    padding = (
        TensorSpec("x", (1, 4), "float32"),
        TensorSpec("p", (2, 2), "int32", data=np.array([[0, 0], [1, 1]], np.int32)),
        TensorSpec("value", (1,), "float32", data=np.array([-np.inf], np.float32)),
        TensorSpec("y", (1, 6), "float32"),
    )
    padded = OperatorSpec("PADV2", (0, 1, 2), (3,))
    return {
        "layer.tflite": build_model(ModelSpec(layer, (connected,), (0,), (2,))),
        "padding.tflite": build_model(ModelSpec(padding, (padded,), (0,), (3,))),
    }
