"""Cases of LESS."""

from __future__ import annotations

from tinyml_rules.ops._shared.cases.comparison import (
    comparison_cases,
    comparison_models,
    comparison_rejected,
    comparison_samples,
)

CASES = comparison_cases("LESS", has_bool=False)
SAMPLES = comparison_samples(has_bool=False)
REJECTED = comparison_rejected("LESS", has_bool=False)
MODELS = comparison_models("LESS", has_bool=False)
