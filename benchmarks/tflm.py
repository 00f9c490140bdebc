"""The figures of TensorFlow Lite for Microcontrollers, which ours are set beside."""

from __future__ import annotations

import json
from dataclasses import dataclass


@dataclass(frozen=True)
class Reference:
    """What TFLM with CMSIS-NN takes for a model on a core; `target` is ours with that core."""

    core: str
    target: str
    model: str
    flash_bytes: int
    ram_bytes: int
    instructions: int


def references_of(text: str) -> list[Reference]:
    """The rows of models/tflm.json."""
    return [Reference(**data) for data in json.loads(text)]
