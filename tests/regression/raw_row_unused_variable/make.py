"""QUANTIZE to another zero point: each row is used up as it is pushed."""

from __future__ import annotations

from tests.decide.models import requantizing


def files() -> dict[str, bytes]:
    """The model."""
    return {"model.tflite": requantizing((1, 4, 4, 1), (0.25, -7), (0.25, 9))}
