"""Cases of FLOOR: between conversions, and what is refused."""

from __future__ import annotations

from tinyml_rules.ops._shared.cases.real_maps import (
    alone_cases,
    island_cases,
    map_models,
)

CASES = island_cases("FLOOR")
CASES |= alone_cases("FLOOR")
SAMPLES = ("alone",)
MODELS = map_models("FLOOR", is_island=True)
