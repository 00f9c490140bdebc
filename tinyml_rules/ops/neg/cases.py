"""Cases of NEG: every value by itself and between conversions, and what is refused."""

from __future__ import annotations

from tinyml_rules.ops._shared.cases.case import Reference, random_case
from tinyml_rules.ops._shared.cases.real_maps import (
    alone_cases,
    island_cases,
    map_model,
    map_models,
    values_case,
)

CASES = {
    "fine": values_case(map_model("NEG", scales=(0.01, 0.01)), reference=Reference.LITERT),
    "rank_4": random_case(map_model("NEG", shape=(2, 3, 2, 5)), reference=Reference.LITERT),
    **island_cases("NEG"),
}
CASES |= alone_cases("NEG")
SAMPLES = ("alone",)
MODELS = map_models("NEG", is_island=True)
