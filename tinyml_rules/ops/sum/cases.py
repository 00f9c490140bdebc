"""Cases of SUM."""

from tinyml_rules.ops._shared.cases.reduction import (
    reduction_cases,
    reduction_models,
    reduction_rejected,
)

CASES = reduction_cases("SUM")
SAMPLES = ("image", "batches_and_columns")
"""Cases between which every kernel is used."""

REJECTED = reduction_rejected("SUM")


MODELS = reduction_models("SUM")
