"""Cases of EXP: every value by itself and between conversions, and what is refused."""

from __future__ import annotations

from hypothesis import strategies as st

from tinyml_rules.ops._shared.cases.case import Reference
from tinyml_rules.ops._shared.cases.real_maps import (
    alone_cases,
    island,
    map_model,
    map_models,
    values_case,
)

_FINE = st.floats(2.0**-9, 2.0**-4, width=32)
"""Scales of the input with which no result leaves int32 before it is clamped."""

CASES = {
    **{
        name: values_case(
            map_model("EXP", scales=scales, zero_points=zero_points), reference=Reference.LITERT
        )
        for name, scales, zero_points in (
            ("fine", (2.0**-6, 2.0**-5), (0, -128)),
            ("saturates", (0.05, 0.1), (-50, 3)),
            ("nothing_is_left", (0.1, 4.0), (127, 127)),
        )
    },
    "island_fine": values_case(island("EXP", scales=(2.0**-6, 2.0**-5), zero_points=(0, -128))),
    "island_saturates": values_case(island("EXP", scales=(0.05, 0.1), zero_points=(-50, 3))),
}
CASES |= alone_cases("EXP")
SAMPLES = ("alone",)
MODELS = map_models("EXP", scales=_FINE, reference=Reference.LITERT) | map_models(
    "EXP", scales=_FINE, is_island=True
)
