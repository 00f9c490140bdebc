"""Cases of COS: between conversions, and every size of a number by itself."""

from __future__ import annotations

from tinyml_rules.ops._shared.cases.real_maps import alone_cases, island_cases, map_models

CASES = island_cases("COS") | alone_cases("COS")
SAMPLES = ("alone",)
MODELS = map_models("COS", is_island=True)
