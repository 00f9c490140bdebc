"""Cases of FLOOR_DIV."""

from __future__ import annotations

from tinyml_rules.ops._shared.cases.dividing import (
    SAMPLES,
    floored_cases,
    floored_models,
    floored_rejected,
)

__all__ = ("CASES", "MODELS", "REJECTED", "SAMPLES")

CASES = floored_cases("FLOOR_DIV")
REJECTED = floored_rejected("FLOOR_DIV")
MODELS = floored_models("FLOOR_DIV")
