"""Cases of SQUARE: between conversions, and what is refused."""

from __future__ import annotations

from tinyml_rules.ops._shared.cases.real_maps import (
    alone_cases,
    island_cases,
    map_models,
)

CASES = island_cases("SQUARE")
CASES |= alone_cases("SQUARE")
SAMPLES = ("alone",)
MODELS = map_models("SQUARE", is_island=True)
