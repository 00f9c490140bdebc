"""What a person is told of a quantized model."""

from __future__ import annotations

from typing import Any

from tinyml_rules.quantize.calibrate import Recording, Show
from tinyml_rules.quantize.choose import Choice
from tinyml_rules.quantize.plan import Plan


def describe(plan: Plan, choice: Choice, recording: Recording, show: Show) -> dict[str, Any]:
    """The report."""
    return {"sqnr_db": choice.sqnr, "steps": list(choice.steps)}


def report_text(report: dict[str, Any]) -> str:
    """The same as lines."""
    return f"SQNR {report['sqnr_db']:.1f} dB" if report["sqnr_db"] is not None else ""
