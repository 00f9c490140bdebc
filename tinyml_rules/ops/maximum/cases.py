"""Cases of MAXIMUM."""

from __future__ import annotations

from tinyml_rules.ops._shared.cases.extremum import (
    SAMPLES,
    extremum_cases,
    extremum_models,
    extremum_rejected,
)

__all__ = ("CASES", "MODELS", "REJECTED", "SAMPLES")

CASES = extremum_cases("MAXIMUM")
REJECTED = extremum_rejected("MAXIMUM")
MODELS = extremum_models("MAXIMUM")
