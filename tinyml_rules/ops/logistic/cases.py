"""Cases of LOGISTIC: every value on coarse and fine scales, in a table's own step and within a
chain, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec
from tinyml_rules.ops._shared.cases.case import (
    every_value_case,
    model_of,
    quantized,
    random_case,
)
from tinyml_rules.ops._shared.cases.real_maps import alone_cases, island_cases, map_models
from tinyml_rules.ops._shared.cases.uint8 import uint8_cases
from tinyml_rules.ops._shared.cases.wide_sigmoids import wide_cases, wide_models, wide_rejected


def logistic(
    shape: tuple[int, ...] = (1, 64), *, scale: float = 0.1, zero_point: int = 0
) -> ModelSpec:
    """A LOGISTIC node."""
    return model_of(
        "LOGISTIC",
        (quantized("input", shape, scale=scale, zero_point=zero_point),),
        quantized("output", shape, scale=1 / 256, zero_point=-128),
    )


def then_quantize(*, scale: float, zero_point: int) -> ModelSpec:
    """The same, with its result requantized after it."""
    model = logistic()
    moved = quantized("moved", (1, 64), scale=scale, zero_point=zero_point)
    return replace(
        model,
        tensors=(*model.tensors, moved),
        operators=(*model.operators, OperatorSpec("QUANTIZE", (1,), (2,), version=2)),
        outputs=(2,),
    )


def behind_quantize(*, scale: float, zero_point: int) -> ModelSpec:
    """The same, with its input requantized before it."""
    model = logistic()
    first, second = model.tensors
    other = replace(first, name="other", scales=(scale,), zero_points=(zero_point,))
    operators = (
        OperatorSpec("QUANTIZE", (0,), (2,), version=2),
        replace(model.operators[0], inputs=(2,)),
    )
    return replace(model, tensors=(other, second, first), operators=operators)


_SCALES = (
    *(1e-6, 2.0**-12, 1 / 256, 0.0125, 2.0**-6, 3 / 128, 0.05, 15 / 128, 0.1247, 0.125, 0.1873),
    *(0.25, 0.37, 0.5, 0.93, 1.0, 1.7, 2.0, 3.99, 4.0, 5.1, 7.9, 15.0),
)
"""15 is the end of the range of the fixed point: distances beyond it saturate."""

CASES = {
    **{
        f"scale_{number}": every_value_case(logistic(scale=scale))
        for number, scale in enumerate(_SCALES)
    },
    **{
        f"zero_point_{number}": every_value_case(logistic(scale=scale, zero_point=zero_point))
        for number, (zero_point, scale) in enumerate(
            product((-128, -17, 45, 127), (0.02, 0.06, 0.11, 0.5))
        )
    },
    # the least shift that leaves no distance: even the zero point is taken for the least value
    "no_radius": every_value_case(logistic(scale=8.0, zero_point=3)),
    "rank_4": random_case(logistic((2, 3, 2, 5), scale=0.04, zero_point=-3)),
    **island_cases("LOGISTIC"),
    "scalar": every_value_case(logistic(())),
    "then_quantize": every_value_case(then_quantize(scale=1 / 200, zero_point=-100)),
    "behind_quantize": every_value_case(behind_quantize(scale=0.07, zero_point=9)),
}

CASES |= alone_cases("LOGISTIC") | wide_cases("LOGISTIC")
CASES |= uint8_cases(CASES, ("scale_3", "scale_17", "scale_22", "zero_point_9"))
SAMPLES = (
    "scalar",
    "alone",
    "int16_scale_8",
)
"""Cases between which every kernel is used."""

REJECTED = wide_rejected("LOGISTIC")
MODELS = (
    map_models("LOGISTIC", result=(1 / 256, -128))
    | map_models("LOGISTIC", is_island=True)
    | wide_models("LOGISTIC")
)
