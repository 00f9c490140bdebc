"""Cases of GELU: every value by itself and between conversions."""

from __future__ import annotations

from hypothesis import strategies as st

from tinyml_rules.ops._shared.cases.case import Reference, Tolerance
from tinyml_rules.ops._shared.cases.real_maps import (
    alone_cases,
    island_cases,
    map_cases,
    map_models,
)

_EIGEN = Tolerance(units=4, absolute=2.0**-20)
"""Of real numbers: LiteRT makes its table of int8 with the C library's erfc and tanh, as we make
all results, but its float kernel has those of Eigen."""
_KINDS = ({"Approximate": False}, {"Approximate": True})

CASES = {
    f"{name}_{'approximate' if options['Approximate'] else 'exact'}": case
    for options in _KINDS
    for name, case in {
        **map_cases("GELU", options=options, reference=Reference.LITERT),
        **island_cases("GELU", options=options, reference=Reference.LITERT),
        **alone_cases("GELU", options=options, tolerance=_EIGEN, reference=Reference.LITERT),
    }.items()
}
SAMPLES = ("alone_exact", "alone_approximate")
MODELS = map_models(
    "GELU", options=st.sampled_from(_KINDS), reference=Reference.LITERT
) | map_models("GELU", options=st.sampled_from(_KINDS), reference=Reference.LITERT, is_island=True)
