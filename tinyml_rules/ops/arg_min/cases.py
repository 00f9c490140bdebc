"""Cases of ARG_MIN."""

from tinyml_rules.ops._shared.cases.best_index import (
    best_index_cases,
    best_index_models,
    best_index_rejected,
)

CASES = best_index_cases("ARG_MIN")
SAMPLES = ("columns", "real_columns")
"""Cases between which every kernel is used."""

REJECTED = best_index_rejected("ARG_MIN")


MODELS = best_index_models("ARG_MIN")
