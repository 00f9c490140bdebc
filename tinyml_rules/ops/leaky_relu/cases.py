"""Cases of LEAKY_RELU: every value by itself and between conversions, and what is refused."""

from __future__ import annotations

from hypothesis import strategies as st

from tinyml_rules.ops._shared.cases.case import Rejected
from tinyml_rules.ops._shared.cases.real_maps import (
    island_cases,
    map_cases,
    map_model,
    map_models,
)
from tinyml_rules.ops._shared.cases.reals import real_cases
from tinyml_rules.ops._shared.cases.shorts import MAP_SCALES, short_map_models, short_maps

_ALPHAS = {"usual": 0.1, "half": 0.5, "negative": -0.3, "above_1": 1.5, "no": 0.0}
_SHORT_SCALES = {name: MAP_SCALES[name] for name in ("ties", "finer", "quotient_in_double")}
_OPTIONS = st.fixed_dictionaries(
    {"Alpha": st.sampled_from((0.0, -0.0, 0.25, 1.0, -1.0)) | st.floats(-2, 2, width=32)}
)

CASES = {
    f"{name}_{word}": case
    for word, alpha in _ALPHAS.items()
    for name, case in {
        **map_cases("LEAKY_RELU", options={"Alpha": alpha}),
        **island_cases("LEAKY_RELU", options={"Alpha": alpha}),
    }.items()
}
CASES |= real_cases(CASES, ("island_above_0_negative",))
CASES |= {
    f"{name}_{word}": case
    for word, alpha in _ALPHAS.items()
    for name, case in short_maps("LEAKY_RELU", _SHORT_SCALES, options={"Alpha": alpha}).items()
}
SAMPLES = (
    "int16_ties_negative",
    "real_island_above_0_negative",
)

REJECTED = {
    "factor_too_large": Rejected(
        map_model("LEAKY_RELU", scales=(1.0, 1e-10)),
        ("output tensor #1 'output' has scale 1e-10, too small for the inputs' 1",),
    ),
    "alpha_too_large": Rejected(
        map_model("LEAKY_RELU", options={"Alpha": -1e30}),
        ("alpha is -1e+30, too large for the scales of input and output",),
    ),
    "alpha_is_no_number": Rejected(
        map_model("LEAKY_RELU", options={"Alpha": float("nan")}),
        ("alpha is nan, too large for the scales of input and output",),
    ),
}
MODELS = (
    short_map_models("LEAKY_RELU", options=_OPTIONS)
    | map_models("LEAKY_RELU", options=_OPTIONS)
    | map_models("LEAKY_RELU", options=_OPTIONS, is_island=True)
)
