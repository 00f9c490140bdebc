"""What a person is told of a quantized model."""

from __future__ import annotations

from typing import Any

from tinyml_rules.quantize.calibrate import Recording, Show
from tinyml_rules.quantize.choose import Choice
from tinyml_rules.quantize.plan import Plan


def describe(plan: Plan, choice: Choice, recording: Recording, show: Show) -> dict[str, Any]:
    """The report."""
    return {"sqnr_db": choice.sqnr, "steps": list(choice.steps)}
