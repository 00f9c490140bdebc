"""Cases of RELU_N1_TO_1: every value by itself and between conversions, and what is refused."""

from __future__ import annotations

from tinyml_rules.ops._shared.cases.case import Reference, Rejected
from tinyml_rules.ops._shared.cases.real_maps import (
    island_cases,
    map_cases,
    map_model,
    map_models,
    values_case,
)
from tinyml_rules.ops._shared.cases.reals import real_cases

CASES = {
    **map_cases("RELU_N1_TO_1", reference=Reference.LITERT),
    **island_cases("RELU_N1_TO_1", reference=Reference.LITERT),
    # 3.5 as float32, a little less in double: odd values tie in the one, not in the other
    "quotient_in_float32": values_case(
        map_model("RELU_N1_TO_1", scales=(0.7, 0.2)), reference=Reference.LITERT
    ),
}
CASES |= real_cases(CASES, ("island_above_0",))
SAMPLES = ("real_island_above_0",)

REJECTED = {
    "factor_too_large": Rejected(
        map_model("RELU_N1_TO_1", scales=(1.0, 1e-10)),
        (
            "output tensor #1 'output' has scale 1e-10, too small for the inputs' 1",
            "output tensor #1 'output' has scale 1e-10, too small for a bound of 6",
        ),
    ),
}
MODELS = map_models("RELU_N1_TO_1", reference=Reference.LITERT) | map_models(
    "RELU_N1_TO_1", is_island=True, reference=Reference.LITERT
)
