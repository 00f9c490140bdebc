"""Cases of EQUAL."""

from __future__ import annotations

from tinyml_rules.ops._shared.cases.comparison import (
    comparison_cases,
    comparison_models,
    comparison_rejected,
    comparison_samples,
)

CASES = comparison_cases("EQUAL", has_bool=True)
SAMPLES = comparison_samples(has_bool=True)
REJECTED = comparison_rejected("EQUAL", has_bool=True)
MODELS = comparison_models("EQUAL", has_bool=True)
