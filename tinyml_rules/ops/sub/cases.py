"""Cases of SUB: as those of ADD, on either side, int32 and float32 with activations."""

from __future__ import annotations

from tinyml_rules.ops._shared.cases.arithmetic import (
    CLAMPED,
    LONG_SAMPLES,
    OPTIONS,
    SUM_SCALES,
    WITH_INT16,
    activation_cases,
    arithmetic_models,
    arithmetic_rejected,
    arithmetic_samples,
    long_cases,
    long_models,
    long_rejected,
    scale_cases,
    scaled_int32,
    sum_rejected,
)
from tinyml_rules.ops._shared.cases.case import Rejected, random_case, with_tensor
from tinyml_rules.ops._shared.cases.pairs import (
    FINITE,
    KINDS_OF_FIRST,
    broadcast_cases,
    every_pair,
    pair,
)
from tinyml_rules.ops._shared.cases.shorts import short_pair_models, short_pairs

CASES = {
    **broadcast_cases("SUB", "int8", scales=(0.3, 0.2, 0.4), zero_points=(3, -5, 7)),
    **broadcast_cases("SUB", "int32"),
    **broadcast_cases("SUB", "float32"),
    **scale_cases("SUB"),
    **short_pairs("SUB", SUM_SCALES, options=CLAMPED),
    "same_scale": random_case(pair("SUB", "int8", (17,), (17,), scales=(0.3, 0.3, 0.4))),
    "first_scale_larger": random_case(pair("SUB", "int8", (17,), (17,), scales=(0.3, 0.2, 0.4))),
    "second_scale_larger": random_case(pair("SUB", "int8", (17,), (17,), scales=(0.2, 0.3, 0.4))),
    **activation_cases("SUB", ("int8", "int32", "float32")),
    "int32_special": every_pair(pair("SUB", "int32")),
    "float32_special": every_pair(pair("SUB", "float32"), FINITE),
    **long_cases("SUB"),
}
SAMPLES = (
    *arithmetic_samples(is_ordered=True, dtypes=WITH_INT16),
    *LONG_SAMPLES,
    *(f"int64{kind}" for kind in KINDS_OF_FIRST),
    *("same_scale", "first_scale_larger", "second_scale_larger"),
)
REJECTED = {
    **sum_rejected("SUB", "difference"),
    **long_rejected("SUB"),
    **arithmetic_rejected("SUB"),
    "scaled_int32": scaled_int32("SUB"),
    "output_scale_too_small": Rejected(
        with_tensor(pair("SUB", "int8"), 2, scales=(2.0**-22,)),
        ("output tensor #2 'output' has a scale too small for the difference of its inputs",),
    ),
}
MODELS = arithmetic_models("SUB") | long_models("SUB") | short_pair_models("SUB", options=OPTIONS)
