"""Cases of NEG: every value by itself and between conversions, and what is refused."""

from __future__ import annotations

from tinyml_rules.ops._shared.cases.case import Reference, Rejected, random_case
from tinyml_rules.ops._shared.cases.real_maps import (
    island_cases,
    map_model,
    map_models,
    map_rejected,
    values_case,
)

CASES = {
    "fine": values_case(map_model("NEG", scales=(0.01, 0.01)), reference=Reference.LITERT),
    "rank_4": random_case(map_model("NEG", shape=(2, 3, 2, 5)), reference=Reference.LITERT),
    **island_cases("NEG"),
}
REJECTED = {
    **map_rejected("NEG"),
    "another_scale": Rejected(
        map_model("NEG", scales=(0.5, 0.25)),
        (
            "output tensor #1 'output' has scale 0.25 and zero point 0, "
            "expected those of the input, 0.5 and 0: "
            "the 8-bit specification asks for one quantization",
        ),
    ),
    "zero_point": Rejected(
        map_model("NEG", zero_points=(3, 3)),
        ("input tensor #0 'input' has zero point 3, expected 0",),
    ),
}
MODELS = map_models("NEG", is_island=True)
