"""Cases of REDUCE_PROD."""

from tinyml_rules.ops._shared.cases.case import Reference
from tinyml_rules.ops._shared.cases.plain_reduction import (
    plain_reduction_cases,
    plain_reduction_models,
    reduction_axes_rejected,
)

_TYPES = {
    "int32": Reference.LITERT,
    "int64": Reference.LITERT,
    "float32": Reference.LITERT,
}

CASES = plain_reduction_cases("REDUCE_PROD", _TYPES)
SAMPLES = tuple(f"{dtype}_rows" for dtype in _TYPES)
"""Cases between which every kernel is used."""

REJECTED = reduction_axes_rejected("REDUCE_PROD", "int32")
MODELS = plain_reduction_models("REDUCE_PROD", _TYPES)
