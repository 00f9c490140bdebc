"""Cases of REDUCE_MIN."""

from tinyml_rules.ops._shared.cases.case import Reference
from tinyml_rules.ops._shared.cases.plain_reduction import (
    plain_reduction_cases,
    plain_reduction_models,
    reduction_axes_rejected,
)

_TYPES = {
    "int8": Reference.TFLM,
    "float32": Reference.TFLM,
    "uint8": Reference.LITERT,
    "int16": Reference.LITERT,
    "int32": Reference.LITERT,
    "int64": Reference.LITERT,
    "bool": Reference.LITERT,
}

CASES = plain_reduction_cases("REDUCE_MIN", _TYPES, compares=True)
SAMPLES = tuple(f"{dtype}_rows" for dtype in _TYPES)
"""Cases between which every kernel is used."""

REJECTED = reduction_axes_rejected("REDUCE_MIN", "int8")
MODELS = plain_reduction_models("REDUCE_MIN", _TYPES)
