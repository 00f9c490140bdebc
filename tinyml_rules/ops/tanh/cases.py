"""Cases of TANH: every value by itself and between conversions, and what is refused."""

from __future__ import annotations

from tinyml_rules.ops._shared.cases.real_maps import (
    LIBRARY,
    alone_cases,
    island_cases,
    map_model,
    map_models,
    values_case,
)
from tinyml_rules.ops._shared.cases.uint8 import uint8_cases
from tinyml_rules.ops._shared.cases.wide_sigmoids import wide_cases, wide_models, wide_rejected

_RESULT = (1 / 128, 0)
_SCALES = (1e-6, 2.0**-12, 1 / 128, 0.02, 0.0625, 0.1, 0.25, 0.5, 1.7, 4.0, 8.0, 15.0)
"""From 8 on no distance is left: even the zero point is taken for the least value."""

CASES = {
    **{
        f"scale_{number}_{place}": values_case(
            map_model("TANH", scales=(scale, _RESULT[0]), zero_points=(zero_point, 0))
        )
        for number, scale in enumerate(_SCALES)
        for place, zero_point in enumerate((-128, 0, 45))
    },
    **island_cases("TANH"),
}
CASES |= alone_cases("TANH", tolerance=LIBRARY) | wide_cases("TANH")
CASES |= uint8_cases(CASES, ("scale_1_1", "scale_5_2", "scale_10_0"))
SAMPLES = ("alone", "int16_scale_8")
REJECTED = wide_rejected("TANH")
MODELS = (
    map_models("TANH", result=_RESULT) | map_models("TANH", is_island=True) | wide_models("TANH")
)
