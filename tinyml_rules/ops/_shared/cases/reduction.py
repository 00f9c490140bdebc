"""Cases that MEAN and SUM share, and how their models are made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import strategies as st

from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.best_index import axes
from tinyml_rules.ops._shared.cases.case import (
    EVERY_INT8,
    Case,
    Reference,
    Rejected,
    model_of,
    quantized,
    random_case,
    with_tensor,
)
from tinyml_rules.ops._shared.cases.strategies import SCALES, ZERO_POINTS, shapes
from tinyml_rules.ops._shared.cases.strategies import axes as any_axis

Pair = tuple[float, float]


def kept_shape(
    shape: tuple[int, ...], over: int | Sequence[int], *, keeps: bool
) -> tuple[int, ...]:
    """What a reduction leaves of a shape."""
    reduced = {axis % len(shape) for axis in np.asarray(over).reshape(-1).tolist()}
    return tuple(
        1 if axis in reduced else size
        for axis, size in enumerate(shape)
        if keeps or axis not in reduced
    )


def reduction(
    operator: str,
    shape: tuple[int, ...] = (1, 4, 5, 6),
    over: int | Sequence[int] = (1, 2),
    *,
    keeps: bool = False,
    scales: Pair = (0.5, 0.4),
    zero_points: tuple[int, int] = (-7, 11),
) -> ModelSpec:
    """A reduction over axes; pairs are (input, output)."""
    kept = kept_shape(shape, over, keeps=keeps)
    return model_of(
        operator,
        (quantized("input", shape, scale=scales[0], zero_point=zero_points[0]), axes(over)),
        quantized("output", kept, scale=scales[1], zero_point=zero_points[1]),
        options={"KeepDims": keeps},
        version=2,
    )


GEOMETRY: dict[str, tuple[tuple[int, ...], int | Sequence[int]]] = {
    "image": ((1, 4, 5, 6), (1, 2)),
    "image_other_order": ((1, 4, 5, 6), (2, 1)),
    "image_negative": ((1, 4, 5, 6), (-3, -2)),
    "image_twice": ((1, 4, 5, 6), (1, 2, 1, -3)),
    "image_of_batches": ((3, 4, 5, 6), (1, 2)),
    "image_7_by_7": ((1, 7, 7, 9), (1, 2)),
    "one_channel": ((1, 4, 5, 1), (1, 2)),
    "rows": ((1, 4, 5, 6), 1),
    "columns": ((1, 4, 5, 6), [2]),
    "channels": ((1, 4, 5, 6), -1),
    "all_but_channels": ((2, 3, 4, 5), (0, 1, 2)),
    "all_but_batches": ((2, 3, 4, 5), (1, 2, 3)),
    "rows_and_channels": ((2, 3, 4, 5), (1, 3)),
    "batches_and_columns": ((2, 3, 4, 5), (0, 2)),
    "everything": ((2, 3, 4, 5), (0, 1, 2, 3)),
    "one_pixel": ((1, 1, 1, 8), (1, 2)),
    "vector": ((10,), 0),
    "matrix_rows": ((6, 7), 0),
    "matrix_columns": ((6, 7), 1),
    "rank_3": ((2, 6, 5), 1),
    "rank_5": ((2, 3, 2, 3, 2), (0, 2, 4)),
    "long": ((1, 33, 31, 2), (1, 2)),
}
_SCALES = {
    "equal": (0.5, 0.5),
    "much_smaller": (0.001, 4.0),
    "much_larger": (3.0, 0.07),
    "enormous": (2.0**20, 1.0),
    "vanishing": (2.0**-25, 2.0**9),
    "in_double": (0.15, 0.1),
}


def reduction_cases(operator: str) -> dict[str, Case]:
    """Every kind of axes, ratios of scales, the ends of int8, and sums that tie."""
    models = {
        f"{name}{'_kept' if keeps else ''}": reduction(operator, shape, over, keeps=keeps)
        for name, (shape, over) in GEOMETRY.items()
        for keeps in (False, True)
    }
    for name, scales in _SCALES.items():
        models[f"scales_{name}"] = reduction(operator, scales=scales)
        models[f"scales_{name}_rows"] = reduction(operator, (6, 8), 1, scales=scales)
    for low, high in ((-128, 127), (127, -128), (0, 0)):
        model = reduction(operator, scales=(0.5, 0.5), zero_points=(low, high))
        models[f"zero_points_{low}_{high}".replace("-", "minus_")] = model
    cases = {name: random_case(model) for name, model in models.items()}
    return {**cases, **{f"ties_of_{count}": _ties(operator, count) for count in (1, 2, 3, 4, 7)}}


_UNSIGNED = ("image", "image_kept", "rows", "channels", "batches_and_columns", "everything")


def unsigned_cases(operator: str) -> dict[str, Case]:
    """Some of them of uint8."""
    return {
        f"uint8_{name}": _unsigned(case)
        for name, case in reduction_cases(operator).items()
        if name in _UNSIGNED or name.startswith(("zero_points", "scales_much", "ties"))
    }


def wide_cases(operator: str) -> dict[str, Case]:
    """Some of them of int16, and as many values of one sign as int32 can hold the sum of."""
    found = {
        f"int16_{name}": _in_16_bits(case.model)
        for name, case in reduction_cases(operator).items()
        if name in _UNSIGNED or name.startswith("scales") or name == "long"
    }
    scale = 0.5 if operator == "MEAN" else 2.0**15
    most = reduction(operator, (1, 255, 257, 1), scales=(0.5, scale), zero_points=(0, 0))
    return {**found, "int16_most_values": _in_16_bits(most)}


def wide_models(operator: str) -> st.SearchStrategy[Case]:
    """Any of them of int16."""
    return reduction_models(operator).map(_in_16_bits)


def wide_rejected(operator: str) -> dict[str, Rejected]:
    """What is refused of int16."""
    model = _in_16_bits(reduction(operator)).model
    return {
        "int16_zero_point": _rejected(
            model, 0, "input tensor #0 'input' has zero point 1, expected 0", zero_points=(1,)
        ),
        "int16_output_zero_point": _rejected(
            model, 2, "output tensor #2 'output' has zero point -1, expected 0", zero_points=(-1,)
        ),
        "int16_sum_beyond_int32": Rejected(
            _in_16_bits(reduction(operator, (1, 256, 256, 1))).model,
            (
                "a sum over input tensor #0 'input' has 65536 values, expected at most 65535, "
                "of which int32 holds the sum",
            ),
        ),
    }


def _in_16_bits(model: ModelSpec) -> Case:
    """The same of int16, with zero points of 0."""
    tensors = tuple(
        replace(each, dtype="int16", zero_points=(0,)) if each.dtype == "int8" else each
        for each in model.tensors
    )
    return random_case(replace(model, tensors=tensors))


def unsigned_models(operator: str) -> st.SearchStrategy[Case]:
    """Any of them of uint8."""
    return reduction_models(operator).map(lambda model: _unsigned(random_case(model)))


def _unsigned(case: Case) -> Case:
    """The same of numbers that are 128 more."""
    tensors = tuple(
        replace(each, dtype="uint8", zero_points=(each.zero_points[0] + 128,))
        if each.dtype == "int8"
        else each
        for each in case.model.tensors
    )
    samples = tuple((each.astype(np.int16) + 128).astype(np.uint8) for each in case.samples)
    model = replace(case.model, tensors=tensors)
    return Case(model, samples, reference=Reference.LITERT)


def _ties(operator: str, count: int) -> Case:
    """Every value next to zeros: many fall between two numbers of the output."""
    scales = {"scales": (1.0, 2.0 if operator == "SUM" else 1.0)}
    model = reduction(operator, (count,), 0, zero_points=(0, 0), **scales)  # type: ignore[arg-type]
    values = np.zeros((256, count), np.int8)
    values[:, -1] = EVERY_INT8
    return Case(model, (values,))


@st.composite
def reduction_models(draw: st.DrawFn, operator: str) -> ModelSpec:
    """Any shape, axes and quantization."""
    shape = draw(shapes(most_rank=5, most=4))
    over = draw(st.lists(any_axis(len(shape)), min_size=1, max_size=len(shape) + 1))
    return reduction(
        operator,
        shape,
        over,
        keeps=draw(st.booleans()),
        scales=(draw(SCALES), draw(SCALES)),
        zero_points=(draw(ZERO_POINTS), draw(ZERO_POINTS)),
    )


def _rejected(model: ModelSpec, index: int, *errors: str, **changes: Any) -> Rejected:
    return Rejected(with_tensor(model, index, **changes), errors)


def reduction_rejected(operator: str) -> dict[str, Rejected]:
    """What `check` refuses."""
    model = reduction(operator)
    return {
        "axis_outside": _rejected(
            model,
            1,
            "axis -5 of input tensor #0 'input', which has 4 dimensions",
            data=np.array([1, -5], np.int32),
        ),
        "output_scale_too_small": _rejected(
            model,
            2,
            "output tensor #2 'output' has scale 1e-12, too small for the inputs' 0.5",
            scales=(1e-12,),
        ),
        "sum_beyond_int32": Rejected(
            reduction(operator, (1, 4096, 4000, 1)),
            (
                "a sum over input tensor #0 'input' has 16384000 values, expected at most 8421504, "
                "of which int32 holds the sum",
            ),
        ),
    }
