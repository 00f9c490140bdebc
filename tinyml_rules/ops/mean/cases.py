"""Cases of MEAN."""

from tinyml_rules.ops._shared.cases.reduction import (
    reduction_cases,
    reduction_models,
    reduction_rejected,
)

CASES = reduction_cases("MEAN")
SAMPLES = ("image", "batches_and_columns")
"""Cases between which every kernel is used."""

REJECTED = reduction_rejected("MEAN")


MODELS = reduction_models("MEAN")
