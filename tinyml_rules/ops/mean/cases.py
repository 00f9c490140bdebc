"""Cases of MEAN."""

from hypothesis import strategies as st

from tinyml_rules.ops._shared.cases.case import Reference, random_case
from tinyml_rules.ops._shared.cases.plain_reduction import (
    plain_reduction,
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
}

CASES = {
    **reduction_cases("MEAN"),
    **unsigned_cases("MEAN"),
    **wide_cases("MEAN"),
    **plain_reduction_cases("MEAN", _PLAIN),
    "int64_least_sum": random_case(
        plain_reduction("MEAN", "int64", (3,), 0), reference=Reference.LITERT
    ),
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

REJECTED = reduction_rejected("MEAN") | wide_rejected("MEAN")
MODELS = st.one_of(
    reduction_models("MEAN"),
    unsigned_models("MEAN"),
    wide_models("MEAN"),
    plain_reduction_models("MEAN", _PLAIN),
)
