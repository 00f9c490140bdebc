"""Cases of GELU: every value by itself and between conversions, and what is refused."""

from __future__ import annotations

from hypothesis import strategies as st

from tinyml_rules.ops._shared.cases.case import Reference
from tinyml_rules.ops._shared.cases.real_maps import (
    alone_rejected,
    island_cases,
    map_cases,
    map_models,
)

_KINDS = ({"Approximate": False}, {"Approximate": True})

CASES = {
    f"{name}_{'approximate' if options['Approximate'] else 'exact'}": case
    for options in _KINDS
    for name, case in {
        **map_cases("GELU", options=options, reference=Reference.LITERT),
        **island_cases("GELU", options=options, reference=Reference.LITERT),
    }.items()
}
REJECTED = alone_rejected("GELU")
MODELS = map_models(
    "GELU", options=st.sampled_from(_KINDS), reference=Reference.LITERT
) | map_models("GELU", options=st.sampled_from(_KINDS), reference=Reference.LITERT, is_island=True)
