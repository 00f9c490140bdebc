"""Cases of RELU6: every value in several quantizations, and what is refused."""

from __future__ import annotations

from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.case import (
    Reference,
    Rejected,
    every_value_case,
    model_of,
    quantized,
    random_case,
)
from tinyml_rules.ops._shared.cases.real_maps import (
    island_cases,
    map_cases,
    map_model,
    map_models,
    values_case,
)
from tinyml_rules.ops._shared.cases.reals import real_cases
from tinyml_rules.ops._shared.cases.shorts import MAP_SCALES, short_map_models, short_maps


def relu6(
    shape: tuple[int, ...] = (1, 64), *, scale: float = 0.1, zero_point: int = 0
) -> ModelSpec:
    """A RELU6 node."""
    return model_of(
        "RELU6",
        (quantized("input", shape, scale=scale, zero_point=zero_point),),
        quantized("output", shape, scale=scale, zero_point=zero_point),
    )


_RESCALED = {name: scales for name, scales in MAP_SCALES.items() if name != "same"}

CASES = {
    "both_bounds": every_value_case(relu6()),
    "lowest_zero_point": every_value_case(relu6(zero_point=-128)),
    "highest_zero_point": every_value_case(relu6(zero_point=127)),
    "six_beyond_int8": every_value_case(relu6(scale=0.02)),
    "six_is_a_tie": every_value_case(relu6(scale=4.0)),
    "six_rounds_to_0": every_value_case(relu6(scale=50.0)),
    "rank_4": random_case(relu6((2, 3, 2, 5))),
    **{
        f"rescaled_{name}": case
        for name, case in map_cases("RELU6", reference=Reference.LITERT).items()
    },
    # 3.5 as float32, a little less in double: odd values tie in the one, not in the other
    "quotient_in_float32": values_case(
        map_model("RELU6", scales=(0.7, 0.2)), reference=Reference.LITERT
    ),
    **island_cases("RELU6"),
    **short_maps("RELU6", {"same": MAP_SCALES["same"], "six_beyond_int16": (1e-4, 1e-4)}),
    **{
        f"rescaled_{name}": case
        for name, case in short_maps("RELU6", _RESCALED, reference=Reference.LITERT).items()
    },
}

CASES |= real_cases(CASES, ("island_above_0",))
SAMPLES = ("both_bounds", "int16_same", "real_island_above_0")
"""Cases between which every kernel is used."""

REJECTED = {
    "bound_too_large": Rejected(
        relu6(scale=2.0**-30),
        ("output tensor #1 'output' has scale 9.31323e-10, too small for a bound of 6",),
    ),
}

MODELS = (
    map_models("RELU6", is_same=True)
    | map_models("RELU6", reference=Reference.LITERT)
    | map_models("RELU6", is_island=True)
    | short_map_models("RELU6", is_same=True)
    | short_map_models("RELU6", reference=Reference.LITERT)
)
