"""Cases of SUM."""

from hypothesis import strategies as st

from tinyml_rules.ops._shared.cases.case import Reference
from tinyml_rules.ops._shared.cases.plain_reduction import (
    plain_reduction_cases,
    plain_reduction_models,
)
from tinyml_rules.ops._shared.cases.reduction import (
    reduction_cases,
    reduction_models,
    reduction_rejected,
    unsigned_cases,
    unsigned_models,
    wide_cases,
    wide_models,
    wide_rejected,
)

_PLAIN = {
    "float32": Reference.TFLM,
    "int32": Reference.LITERT,
    "int64": Reference.LITERT,
    "bool": Reference.LITERT,
}

CASES = {
    **reduction_cases("SUM"),
    **unsigned_cases("SUM"),
    **wide_cases("SUM"),
    **plain_reduction_cases("SUM", _PLAIN),
}
SAMPLES = (
    "image",
    "uint8_image",
    "uint8_batches_and_columns",
    "int16_image",
    "int16_batches_and_columns",
    "batches_and_columns",
    *(f"{dtype}_rows" for dtype in _PLAIN),
)
"""Cases between which every kernel is used."""

REJECTED = reduction_rejected("SUM") | wide_rejected("SUM")
MODELS = st.one_of(
    reduction_models("SUM"),
    unsigned_models("SUM"),
    wide_models("SUM"),
    plain_reduction_models("SUM", _PLAIN),
)
