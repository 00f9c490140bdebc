"""Cases of HARD_SWISH: every value by itself and between conversions, and what is refused."""

from __future__ import annotations

from tinyml_rules.ops._shared.cases.case import Case, Rejected
from tinyml_rules.ops._shared.cases.real_maps import (
    island_cases,
    map_model,
    map_models,
    values_case,
)
from tinyml_rules.ops._shared.cases.reals import real_cases
from tinyml_rules.ops.hard_swish import LEAST_QUOTIENT, MOST_QUOTIENT

_QUOTIENTS = {"equal": 1.0, "least": 127.0, "most": 2.0**-8, "usual": 1.9}
"""The input's scale divided by the output's."""
_SCALES = (2.0**-21, 0.001, 0.02, 0.0625, 0.3, 5.0, 1000.0)

CASES = {
    **{
        f"{word}_{number}": values_case(
            map_model("HARD_SWISH", scales=(scale, scale / quotient), zero_points=zero_points)
        )
        for word, quotient in _QUOTIENTS.items()
        for number, (scale, zero_points) in enumerate(
            zip(_SCALES, ((0, 0), (-128, -128), (127, 127), (3, -4)) * 2, strict=False)
        )
    },
    **island_cases("HARD_SWISH"),
}
CASES |= real_cases(CASES, ("island_above_0",))
SAMPLES = ("real_island_above_0",)

REJECTED = {
    "input_scale_too_small": Rejected(
        map_model("HARD_SWISH", scales=(1e-7, 1e-7)),
        (
            "input tensor #0 'input' has scale 1e-07, expected 4.76837e-07 or more, and less than "
            "65536",
        ),
    ),
    "output_scale_too_small": Rejected(
        map_model("HARD_SWISH", scales=(1.0, 2.0**-7)),
        (
            "output tensor #1 'output' has scale 0.0078125, expected more than 0.0078125, "
            "and at most 256",
        ),
    ),
    "output_scale_too_large": Rejected(
        map_model("HARD_SWISH", scales=(1.0, 257.0)),
        ("output tensor #1 'output' has scale 257, expected more than 0.0078125, and at most 256",),
    ),
}


def _is_taken(case: Case) -> bool:
    """Whether the scales are not too different."""
    source, result = (tensor.scales[0] for tensor in case.model.tensors)
    return source * LEAST_QUOTIENT < result <= source * MOST_QUOTIENT


MODELS = map_models("HARD_SWISH").filter(_is_taken) | map_models("HARD_SWISH", is_island=True)
