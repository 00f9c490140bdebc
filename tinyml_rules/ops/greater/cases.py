"""Cases of GREATER."""

from __future__ import annotations

from tinyml_rules.ops._shared.cases.comparison import (
    comparison_cases,
    comparison_models,
    comparison_rejected,
    comparison_samples,
)

CASES = comparison_cases("GREATER", has_bool=False)
SAMPLES = comparison_samples(has_bool=False)
REJECTED = comparison_rejected("GREATER", has_bool=False)
MODELS = comparison_models("GREATER", has_bool=False)
