"""Cases of RSQRT: every value by itself and between conversions, and what is refused."""

from __future__ import annotations

from tinyml_rules.ops._shared.cases.case import EVERY_INT8, Case, Rejected
from tinyml_rules.ops._shared.cases.real_maps import (
    Pair,
    ZeroPoints,
    alone_cases,
    island,
    map_model,
    map_models,
    values_case,
)


def _case(is_island: bool, scales: Pair, zero_points: ZeroPoints) -> Case:
    model = (island if is_island else map_model)("RSQRT", scales=scales, zero_points=zero_points)
    return values_case(model, above=zero_points[0])


CASES = {
    **{
        f"{'island_' * is_island}{name}": _case(is_island, scales, zero_points)
        for is_island in (False, True)
        for name, scales, zero_points in (
            ("exact", (1.0, 0.125), (-128, -128)),
            ("fine", (0.01, 0.05), (-100, 5)),
            ("saturates", (2.0**-20, 0.5), (7, -9)),
            ("nothing_is_left", (5.0, 4.0), (-128, 0)),
        )
    },
    # of 0 as well, which gives the greatest value in any quantization
    "of_0": Case(
        map_model("RSQRT", zero_points=(-128, -128)),
        (EVERY_INT8.reshape(-1, 1, 64),),
    ),
}
CASES |= alone_cases("RSQRT")
SAMPLES = ("alone",)
REJECTED = {
    "factor_too_large": Rejected(
        map_model("RSQRT", scales=(1e-12, 1e-4)),
        ("output tensor #1 'output' has scale 0.0001, too small for the input's 1e-12",),
    ),
}
MODELS = map_models("RSQRT", is_positive=True) | map_models(
    "RSQRT", is_island=True, is_positive=True
)
