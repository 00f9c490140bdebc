"""Writes knob.tflite, a model with a custom operator, and knob.npz, what it has to give.

Run `python model.py` with the Python that has tinyml_rules.  Your own model comes from a converter,
such as TensorFlow Lite's with `allow_custom_ops`; this one is put together by hand.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from flatbuffers import flexbuffers

from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, TensorSpec, build_model

HERE = Path(__file__).parent
SCALE, ZERO_POINT, WIDTH = 0.02, -10, 0.3
SHAPE = (1, 8)


def knob() -> bytes:
    """Eight positions of a knob -> RELU of those that are outside the dead band."""
    quantized = {"shape": SHAPE, "scales": (SCALE,), "zero_points": (ZERO_POINT,)}
    tensors = tuple(TensorSpec(name, **quantized) for name in ("position", "outside", "speed"))
    options = flexbuffers.Dumps({"width": WIDTH, "subtracts": True})
    deadband = OperatorSpec(
        "CUSTOM", (0,), (1,), custom_code="Deadband", custom_options=bytes(options)
    )
    relu = OperatorSpec("RELU", (1,), (2,))
    return build_model(ModelSpec(tensors, (deadband, relu), inputs=(0,), outputs=(2,)))


def vectors() -> dict[str, np.ndarray]:
    """Every int8 value once, and what comes of it, in real numbers as a paper has it."""
    inputs = np.arange(-128, 128).reshape(-1, *SHAPE)
    real = SCALE * (inputs - ZERO_POINT)
    width = SCALE * np.round(WIDTH / SCALE)
    moved = np.where(np.abs(real) <= width + SCALE / 4, 0, real - np.sign(real) * width)
    outputs = np.round(np.maximum(moved, 0) / SCALE) + ZERO_POINT
    return {"position": inputs.astype(np.int8), "speed": outputs.astype(np.int8)}


if __name__ == "__main__":
    (HERE / "knob.tflite").write_bytes(knob())
    np.savez(HERE / "knob.npz", **vectors())
