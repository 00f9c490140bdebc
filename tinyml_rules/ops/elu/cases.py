"""Cases of ELU: every value by itself and between conversions, and what is refused."""

from __future__ import annotations

from tinyml_rules.ops._shared.cases.real_maps import (
    LIBRARY,
    alone_cases,
    island_cases,
    map_cases,
    map_model,
    map_models,
    values_case,
)

CASES = {
    **map_cases("ELU"),
    **island_cases("ELU"),
    # a quarter of 2 is a tie
    "above_0_ties": values_case(map_model("ELU", scales=(0.5, 2.0))),
}
CASES |= alone_cases("ELU", tolerance=LIBRARY)
SAMPLES = ("alone",)
MODELS = map_models("ELU") | map_models("ELU", is_island=True)
