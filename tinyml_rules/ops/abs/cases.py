"""Cases of ABS: every value by itself and between conversions, and what is refused."""

from __future__ import annotations

from tinyml_rules.ops._shared.cases.case import Rejected
from tinyml_rules.ops._shared.cases.real_maps import (
    alone_cases,
    island_cases,
    map_cases,
    map_model,
    map_models,
    values_case,
)
from tinyml_rules.ops._shared.cases.shorts import MAP_SCALES, short_map_models, short_maps

CASES = {
    **map_cases("ABS"),
    **island_cases("ABS"),
    # 1.25 as float32, a little more in double
    "quotient_in_double": values_case(map_model("ABS", scales=(0.125, 0.1), zero_points=(3, -4))),
}
CASES |= alone_cases("ABS")
CASES |= short_maps("ABS", MAP_SCALES)
SAMPLES = ("int16_finer", "alone")
REJECTED = {
    "factor_too_large": Rejected(
        map_model("ABS", scales=(1.0, 1e-10)),
        ("output tensor #1 'output' has scale 1e-10, too small for the inputs' 1",),
    ),
}
MODELS = short_map_models("ABS") | map_models("ABS") | map_models("ABS", is_island=True)
