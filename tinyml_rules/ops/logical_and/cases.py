"""Cases of LOGICAL_AND."""

from __future__ import annotations

from tinyml_rules.ops._shared.cases.logical import (
    SAMPLES,
    logical_cases,
    logical_models,
    logical_rejected,
)

__all__ = ("CASES", "MODELS", "REJECTED", "SAMPLES")

CASES = logical_cases("LOGICAL_AND")
REJECTED = logical_rejected("LOGICAL_AND")
MODELS = logical_models("LOGICAL_AND")
