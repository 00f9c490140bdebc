"""Cases of ARG_MIN."""

from tinyml_rules.ops._shared.cases.best_index import (
    SAMPLES,
    best_index_cases,
    best_index_models,
    best_index_rejected,
)

__all__ = ["CASES", "MODELS", "REJECTED", "SAMPLES"]

CASES = best_index_cases("ARG_MIN")
REJECTED = best_index_rejected("ARG_MIN")
MODELS = best_index_models("ARG_MIN")
