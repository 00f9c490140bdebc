"""Cases of RELU: every value through factors above and below 1, real numbers, what is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, TensorSpec
from tinyml_rules.ops._shared.cases.case import (
    Case,
    Rejected,
    every_value_case,
    model_of,
    quantized,
    random_case,
    typed,
)
from tinyml_rules.ops._shared.cases.real_maps import map_models
from tinyml_rules.ops._shared.cases.shorts import MAP_SCALES, short_map_models, short_maps


def relu(
    shape: tuple[int, ...] = (1, 64),
    *,
    scales: tuple[float, float] = (0.5, 0.5),
    zero_points: tuple[int, int] = (0, 0),
) -> ModelSpec:
    """A RELU node; pairs are (input, output)."""
    return model_of(
        "RELU",
        (quantized("input", shape, scale=scales[0], zero_point=zero_points[0]),),
        quantized("output", shape, scale=scales[1], zero_point=zero_points[1]),
    )


def real(shape: tuple[int, ...] = (1, 16)) -> ModelSpec:
    """RELU of real numbers."""
    return model_of("RELU", (typed("input", shape, "float32"),), typed("output", shape, "float32"))


def island() -> ModelSpec:
    """RELU of real numbers between two integers."""
    model = relu(scales=(0.3, 0.7), zero_points=(5, -9))
    source, result = model.tensors
    reals = [TensorSpec(name, source.shape, "float32") for name in ("real", "positive")]
    operators = (
        OperatorSpec("DEQUANTIZE", (0,), (2,), version=2),
        OperatorSpec("RELU", (2,), (3,)),
        OperatorSpec("QUANTIZE", (3,), (1,)),
    )
    return replace(model, tensors=(source, result, *reals), operators=operators)


def with_all_outputs(model: ModelSpec) -> ModelSpec:
    """The same; the caller reads every tensor, so that no two operators become one."""
    found = tuple(index for index in range(len(model.tensors)) if index not in model.inputs)
    return replace(model, outputs=found)


_LIMITS = np.finfo(np.float32)
_ENDS = (
    *(0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, -np.nan, _LIMITS.max, _LIMITS.min),
    *(_LIMITS.tiny, -_LIMITS.tiny, _LIMITS.smallest_subnormal, -_LIMITS.smallest_subnormal),
    *(0.1, -0.1),
)

CASES = {
    "same_quantization": every_value_case(relu()),
    "lowest_zero_point": every_value_case(relu(zero_points=(0, -128))),
    "highest_zero_point": every_value_case(relu(zero_points=(-128, 127))),
    "input_highest_zero_point": every_value_case(relu(zero_points=(127, -3))),
    "factor_above_1": every_value_case(relu(scales=(0.7, 0.3))),
    "factor_below_1": every_value_case(relu(scales=(0.2, 0.7), zero_points=(-20, 3))),
    "factor_vanishes": every_value_case(relu(scales=(2.0**-20, 2.0**20))),
    # 3.5 as float32, a little less in double: odd values tie in the one, not in the other
    "quotient_in_double": every_value_case(relu(scales=(0.7, 0.2))),
    "ties_of_multiplication": every_value_case(relu(scales=(0.5, 1.0))),
    "ties_of_both": every_value_case(relu(scales=(0.5, 2.0), zero_points=(-128, -128))),
    "ties_of_shift": every_value_case(relu(scales=(0.5, 8.0), zero_points=(-1, -128))),
    "rank_4": random_case(relu((2, 3, 2, 5), scales=(0.3, 0.2))),
    "scalar": every_value_case(relu(())),
    **short_maps("RELU", MAP_SCALES),
    "real": random_case(real((2, 3, 2, 5))),
    "real_ends": Case(real(), (np.array(_ENDS, np.float32).reshape(1, 1, 16),)),
    "real_scalar": random_case(real(())),
    "real_island": every_value_case(island()),
    "real_inside": every_value_case(with_all_outputs(island())),
}

SAMPLES = ("same_quantization", "int16_finer", "real_inside")
"""Cases between which every kernel is used."""

REJECTED = {
    "factor_too_large": Rejected(
        relu(scales=(1.0, 1e-10)),
        ("output tensor #1 'output' has scale 1e-10, too small for the inputs' 1",),
    ),
}

MODELS = short_map_models("RELU") | map_models("RELU") | map_models("RELU", is_island=True)
