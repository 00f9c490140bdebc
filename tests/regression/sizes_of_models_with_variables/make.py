"""A model with a variable."""

from __future__ import annotations

from tinyml_rules.model_file.writer import build_model
from tinyml_rules.ops._shared.cases.variables import running_sum


def files() -> dict[str, bytes]:
    """The model."""
    return {"model.tflite": build_model(running_sum())}
