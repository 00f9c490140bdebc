"""Cases of SQRT: every value by itself and between conversions, and what is refused."""

from __future__ import annotations

from tinyml_rules.ops._shared.cases.case import Case, Reference
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
    build, reference = (island, Reference.TFLM) if is_island else (map_model, Reference.LITERT)
    model = build("SQRT", scales=scales, zero_points=zero_points)
    return values_case(model, reference=reference, above=zero_points[0])


CASES = {
    f"{'island_' * is_island}{name}": _case(is_island, scales, zero_points)
    for is_island in (False, True)
    for name, scales, zero_points in (
        ("exact", (1.0, 1.0), (-128, -128)),
        ("ties", (0.25, 1.0), (-100, 5)),
        ("fine", (0.01, 0.005), (-128, -128)),
        ("saturates", (3.0, 0.05), (7, -9)),
    )
}
CASES |= alone_cases("SQRT")
SAMPLES = ("alone",)
MODELS = map_models("SQRT", is_positive=True, reference=Reference.LITERT) | map_models(
    "SQRT", is_island=True, is_positive=True
)
