"""Cases of LOG: every value by itself and between conversions, and what is refused."""

from __future__ import annotations

from tinyml_rules.ops._shared.cases.case import Reference
from tinyml_rules.ops._shared.cases.real_maps import (
    alone_cases,
    island,
    map_cases,
    map_models,
    values_case,
)

_POSITIVE = (("fine", (0.01, 0.05)), ("coarse", (0.9, 0.02)))

CASES = {
    **map_cases("LOG", reference=Reference.LITERT),
    **{
        f"island_{name}": values_case(
            island("LOG", scales=scales, zero_points=(-100, -9)), above=-100
        )
        for name, scales in _POSITIVE
    },
}
CASES |= alone_cases("LOG")
SAMPLES = ("alone",)
MODELS = map_models("LOG", reference=Reference.LITERT) | map_models(
    "LOG", is_island=True, is_positive=True
)
