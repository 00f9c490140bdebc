"""Cases of operators that map each value by itself: int8 alone, and real numbers between operators
that convert from and to int8.  Every value is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, OptionValue, TensorSpec
from tinyml_rules.ops._shared.cases.case import (
    EVERY_INT8,
    Case,
    Reference,
    Tolerance,
    model_of,
    quantized,
    random,
    typed,
)
from tinyml_rules.ops._shared.cases.strategies import SCALES, ZERO_POINTS, Shape
from tinyml_rules.ops._shared.plain_values import MOST_SIMPLE_RANK

Pair = tuple[float, float]
ZeroPoints = tuple[int, int]

QUANTIZATIONS: Mapping[str, tuple[Pair, ZeroPoints]] = {
    "coarse": ((0.3, 0.7), (5, -9)),
    "fine": ((2.0**-6, 2.0**-7), (0, 0)),
    "above_0": ((0.05, 0.01), (-128, -128)),
    "below_0": ((0.05, 0.02), (127, 127)),
    "ties": ((0.25, 0.5), (3, -4)),
}
"""Of input and output: scales, zero points."""
_EVERY_SHAPE = ((), (1,), (256,), (1, 64), (2, 128), (4, 8, 8), (1, 4, 4, 16), (1, 1, 2, 1, 8))
SHAPES = st.sampled_from(_EVERY_SHAPE)
"""Those between which 256 values can be divided."""
SHAPES_OF_PAIRS = SHAPES.filter(lambda shape: 0 < len(shape) <= MOST_SIMPLE_RANK)
"""Those that a constant of shape [1] can be broadcast to in TFLM and LiteRT."""


LIBRARY = Tolerance(units=2)
"""Of tanh and expm1, which are those of the GNU C library up to 2.40, bit for bit; later ones round
them correctly, and TFLM calls the library of the computer that it runs on."""


def map_model(
    operator: str,
    *,
    shape: Shape = (1, 64),
    scales: Pair = (0.5, 0.5),
    zero_points: ZeroPoints = (0, 0),
    options: Mapping[str, OptionValue] | None = None,
) -> ModelSpec:
    """One node from int8 to int8; pairs are (input, output)."""
    return model_of(
        operator,
        (quantized("input", shape, scale=scales[0], zero_point=zero_points[0]),),
        quantized("output", shape, scale=scales[1], zero_point=zero_points[1]),
        options=options,
    )


def real_model(operator: str, options: Mapping[str, OptionValue] | None = None) -> ModelSpec:
    """One node of real numbers."""
    source, result = typed("input", (1, 64), "float32"), typed("output", (1, 64), "float32")
    return model_of(operator, (source,), result, options=options)


def island(
    operator: str,
    *,
    shape: Shape = (1, 64),
    scales: Pair = (0.3, 0.7),
    zero_points: ZeroPoints = (5, -9),
    options: Mapping[str, OptionValue] | None = None,
) -> ModelSpec:
    """One node of real numbers between DEQUANTIZE and QUANTIZE."""
    tensors = (
        quantized("input", shape, scale=scales[0], zero_point=zero_points[0]),
        typed("before", shape, "float32"),
        typed("behind", shape, "float32"),
        quantized("output", shape, scale=scales[1], zero_point=zero_points[1]),
    )
    operators = (
        OperatorSpec("DEQUANTIZE", (0,), (1,), version=2),
        OperatorSpec(operator, (1,), (2,), options or {}),
        OperatorSpec("QUANTIZE", (2,), (3,)),
    )
    return ModelSpec(tensors, operators, inputs=(0,), outputs=(3,))


def alone_cases(
    operator: str,
    *,
    options: Mapping[str, OptionValue] | None = None,
    tolerance: Tolerance | None = None,
    reference: Reference = Reference.TFLM,
) -> dict[str, Case]:
    """A node of real numbers by itself: numbers of every exponent and sign, up to the infinities,
    and numbers of few sizes."""
    bits = np.arange(0, 2**32, 4093 * 1021, dtype=np.uint64).astype(np.uint32)
    every = bits.view(np.float32)
    every = every[~np.isnan(every)]
    near = random(3).normal(0, 3, 256).astype(np.float32)
    whole = np.arange(-32, 32, dtype=np.float32) / 2
    values = np.concatenate([every, near, whole, np.array((np.inf, -np.inf), np.float32)])
    samples = np.resize(values, (-(-values.size // 64), 1, 64))
    model = real_model(operator, options)
    return {"alone": Case(model, (samples,), reference=reference, tolerance=tolerance)}


def with_constant(model: ModelSpec, value: float, *, is_first: bool = False) -> ModelSpec:
    """An island with a second operand, or a first one, of one real number."""
    constant = TensorSpec("constant", (1,), "float32", data=np.array([value], np.float32))
    before, node, behind = model.operators
    operands = (*node.inputs, len(model.tensors))
    node = replace(node, inputs=operands[::-1] if is_first else operands)
    tensors = (*model.tensors, constant)
    return replace(model, tensors=tensors, operators=(before, node, behind))


def values_case(
    model: ModelSpec, *, reference: Reference = Reference.TFLM, above: int | None = None
) -> Case:
    """Every int8 value once; with `above`, those up to it are left to be the greatest."""
    (index,) = model.inputs
    values = EVERY_INT8 if above is None else EVERY_INT8.clip(min(above + 1, 127))
    return Case(model, (values.reshape(-1, *model.tensors[index].shape),), reference=reference)


def island_cases(
    operator: str,
    *,
    options: Mapping[str, OptionValue] | None = None,
    reference: Reference = Reference.TFLM,
) -> dict[str, Case]:
    """Between conversions of different kinds."""
    return {
        f"island_{name}": values_case(
            island(operator, scales=scales, zero_points=zero_points, options=options),
            reference=reference,
        )
        for name, (scales, zero_points) in QUANTIZATIONS.items()
    }


def map_cases(
    operator: str,
    *,
    options: Mapping[str, OptionValue] | None = None,
    reference: Reference = Reference.TFLM,
) -> dict[str, Case]:
    """int8 in quantizations of different kinds, and of rank 4."""
    made = {
        name: map_model(operator, scales=scales, zero_points=zero_points, options=options)
        for name, (scales, zero_points) in QUANTIZATIONS.items()
    }
    made["rank_4"] = map_model(operator, shape=(1, 4, 4, 16), options=options)
    made["scalar"] = map_model(operator, shape=(), options=options)
    return {name: values_case(model, reference=reference) for name, model in made.items()}


@st.composite
def map_models(
    draw: st.DrawFn,
    operator: str,
    *,
    is_island: bool = False,
    scales: st.SearchStrategy[float] = SCALES,
    result: tuple[float, int] | None = None,
    is_same: bool = False,
    is_positive: bool = False,
    options: st.SearchStrategy[Mapping[str, OptionValue]] | None = None,
    reference: Reference = Reference.TFLM,
) -> Case:
    """Every value through a node with any quantization; with a fixed one of its `result`, or the
    same in and out.

    `is_positive` where only numbers above 0 have a meaning."""
    build = island if is_island else map_model
    zero_point = draw(ZERO_POINTS.filter(lambda each: each < 127)) if is_positive else None
    before = draw(ZERO_POINTS) if zero_point is None else zero_point
    scale = draw(scales)
    after = (scale, before) if is_same else result or (draw(SCALES), draw(ZERO_POINTS))
    model = build(
        operator,
        shape=draw(SHAPES),
        scales=(scale, after[0]),
        zero_points=(before, after[1]),
        options=draw(options) if options is not None else None,
    )
    return values_case(model, reference=reference, above=zero_point)
