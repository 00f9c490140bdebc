"""Cases of QUANTIZE: each type to each, float32 at the model's input, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from tinyml_rules.ir.dtype import DType
from tinyml_rules.model_file.writer import ModelSpec, TensorSpec
from tinyml_rules.ops._shared.cases.case import (
    AnyArray,
    Case,
    Rejected,
    every_value_case,
    model_of,
    random,
    with_tensor,
)
from tinyml_rules.ops._shared.cases.real_maps import Pair, ZeroPoints
from tinyml_rules.ops._shared.cases.strategies import SCALES, Shape, shapes
from tinyml_rules.ops.quantize import PAIRS

FLOAT_ENDS = (0.0, -0.0, 1e-30, -1e-30, 1e6, -1e6, 63.75, 64.0, -64.0, -64.25)


def requantize(
    scales: Pair,
    *,
    zero_points: ZeroPoints = (0, 0),
    dtypes: tuple[str, str] = ("int8", "int8"),
    shape: Shape = (1, 64),
) -> ModelSpec:
    """From integers to integers; pairs are (input, output)."""
    source, result = (
        TensorSpec(name, shape, dtype, (scale,), (zero_point,))
        for name, dtype, scale, zero_point in zip(
            ("input", "output"), dtypes, scales, zero_points, strict=True
        )
    )
    return model_of("QUANTIZE", (source,), result, version=2)


def quantize(
    count: int = 8, *, scale: float = 0.5, zero_point: int = 0, dtype: str = "int8"
) -> ModelSpec:
    """From float32 to integers."""
    return model_of(
        "QUANTIZE",
        (TensorSpec("input", (1, count), "float32"),),
        TensorSpec("output", (1, count), dtype, (scale,), (zero_point,)),
    )


def _reals(
    values: AnyArray, *, scale: float = 0.5, zero_point: int = 0, dtype: str = "int8"
) -> Case:
    model = quantize(len(values), scale=scale, zero_point=zero_point, dtype=dtype)
    return Case(model, (values.astype(np.float32).reshape(1, 1, -1),))


def _inside(values: AnyArray, *, scale: float, zero_point: int, dtype: str = "int8") -> Case:
    """The caller reads the real numbers too, so that the model itself converts them."""
    case = _reals(values, scale=scale, zero_point=zero_point, dtype=dtype)
    return replace(case, model=replace(case.model, outputs=(*case.model.outputs, 0)))


def _integers(source: str, result: str, scales: Pair, zero_points: ZeroPoints = (0, 0)) -> Case:
    """The ends of the type, and around 0 and what is clamped; every value of 8 bits."""
    low, high = DType(source).limits
    values = np.arange(low, high + 1) if high < 256 else _spread(low, high)
    model = requantize(scales, zero_points=zero_points, dtypes=(source, result))
    return Case(model, (values.astype(source).reshape(-1, 1, 64),))


def _spread(low: int, high: int) -> AnyArray:
    near = np.arange(-32, 32)
    parts = [near * 2**shift for shift in range(0, 32, 3)]
    values = np.concatenate([*parts, near + low, near + high, near + high // 3])
    return np.asarray(np.clip(values, low, high))


_QUARTERS = np.arange(-300, 300) / 4
_FAR_QUARTERS = np.concatenate([end + _QUARTERS for end in (-16384, 0, 16384, 40000)])
_FACTORS = ((0.5, 0.5), (0.7, 0.2), (0.2, 0.7), (0.5, 8.0), (2.0**-20, 2.0**20))
_OF_UNSIGNED: tuple[ZeroPoints, ...] = ((3, -125), (0, -128), (128, 0), (255, 127), (200, -3))
"""Zero points of uint8 and int8."""
_TO_UNSIGNED: tuple[ZeroPoints, ...] = tuple((signed, plain) for plain, signed in _OF_UNSIGNED)
_RANDOM = random().normal(0, 40, 500)

CASES = {
    "int8_same": every_value_case(requantize((0.5, 0.5))),
    "int8_moved": every_value_case(requantize((0.5, 0.5), zero_points=(-128, 127))),
    "int8_factor_above_1": every_value_case(requantize((0.7, 0.2), zero_points=(3, -4))),
    "int8_factor_100": every_value_case(requantize((50.0, 0.5), zero_points=(-128, -128))),
    "int8_factor_below_1": every_value_case(requantize((0.2, 0.7), zero_points=(127, 5))),
    "int8_factor_vanishes": every_value_case(requantize((2.0**-20, 2.0**20))),
    "int8_ties_of_multiplication": every_value_case(requantize((0.5, 1.0))),
    "int8_ties_of_both": every_value_case(requantize((0.5, 2.0), zero_points=(1, -1))),
    "int8_ties_of_shift": every_value_case(requantize((0.5, 8.0))),
    "inside_ties": _inside(_QUARTERS, scale=0.5, zero_point=3),
    "inside_ends": _inside(np.array(FLOAT_ENDS), scale=0.25, zero_point=-128),
    "inside_random": _inside(np.random.default_rng(2).normal(0, 40, 500), scale=0.3, zero_point=-7),
    "inside_int16_ties": _inside(_FAR_QUARTERS, scale=0.5, zero_point=3, dtype="int16"),
    "inside_int16_ends": _inside(
        np.array(FLOAT_ENDS) * 100, scale=0.25, zero_point=-32768, dtype="int16"
    ),
    "int16_ties": _reals(_FAR_QUARTERS, dtype="int16"),
    **{
        f"{source}_to_{result}_{number}": _integers(source, result, scales)
        for source, result in PAIRS
        for number, scales in enumerate(_FACTORS)
        if source in (DType.INT8, DType.INT16) and result is not DType.UINT8
    },
    **{
        f"int32_to_{result}_{number}": _integers("int32", result, scales)
        for result in ("int8", "int16")
        for number, scales in enumerate(((0.5, 0.5), (0.2, 0.7), (2.0**-20, 1.0), (0.01, 9.0)))
    },
    **{
        f"{source}_to_{result}_{number}_{place}": _integers(source, result, scales, zero_points)
        for source, result, every in (
            ("uint8", "int8", _OF_UNSIGNED),
            ("int8", "uint8", _TO_UNSIGNED),
        )
        for number, scales in enumerate(_FACTORS)
        for place, zero_points in enumerate(every)
    },
    "int16_zero_points": _integers("int16", "int8", (0.01, 0.7), (-3000, 5)),
    "int8_to_int16_zero_points": _integers("int8", "int16", (0.7, 0.01), (-128, 32767)),
    "float_ties": _reals(_QUARTERS),
    "float_ties_zero_point": _reals(_QUARTERS, zero_point=-128),
    "float_ends": _reals(np.array(FLOAT_ENDS), zero_point=127),
    "float_random": _reals(_RANDOM, scale=0.3, zero_point=-7),
}

SAMPLES = (
    *("int8_factor_above_1", "int8_to_int16_1", "int8_to_int32_1", "int16_to_int8_1"),
    *("int16_to_int16_1", "int16_to_int32_1", "int32_to_int8_1", "int32_to_int16_1"),
    *("inside_ties", "inside_int16_ties"),
)
"""Cases between which every kernel is used."""

REJECTED = {
    "real_to_uint8": Rejected(
        with_tensor(quantize(), 1, dtype="uint8"),
        ("output tensor #1 'output' is uint8, expected int8 or int16",),
    ),
    "uint8_to_uint8": Rejected(
        requantize((1.0, 1.0), dtypes=("uint8", "uint8")),
        ("output tensor #1 'output' is uint8, expected int8",),
    ),
    "factor_too_large": Rejected(
        requantize((1.0, 1e-10)),
        ("output tensor #1 'output' has scale 1e-10, too small for the inputs' 1",),
    ),
}


@st.composite
def _models(draw: st.DrawFn) -> ModelSpec:
    source, result = draw(st.sampled_from(PAIRS))
    shape, scales = draw(shapes(least_rank=0)), (draw(SCALES), draw(SCALES))
    if source.is_real:
        tensor = TensorSpec("output", shape, result, scales[:1], (draw(_zero_points(result)),))
        return model_of("QUANTIZE", (TensorSpec("input", shape, "float32"),), tensor)
    if source is DType.INT32:
        scales = (min(scales) / 4, max(scales))
    zero_points = draw(_zero_points(source)), draw(_zero_points(result))
    return requantize(scales, zero_points=zero_points, dtypes=(source, result), shape=shape)


def _zero_points(dtype: DType) -> st.SearchStrategy[int]:
    if dtype is DType.INT32:
        return st.just(0)
    low, high = dtype.limits
    return st.sampled_from((low, high, 0)) | st.integers(low, high)


MODELS = _models()
