"""Cases of ARG_MAX."""

from tinyml_rules.ops._shared.cases.best_index import (
    best_index_cases,
    best_index_models,
    best_index_rejected,
)

CASES = best_index_cases("ARG_MAX")
SAMPLES = ("channels", "real_channels")
"""Cases between which every kernel is used."""

REJECTED = best_index_rejected("ARG_MAX")


MODELS = best_index_models("ARG_MAX")
