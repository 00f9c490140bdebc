"""Cases that ARG_MAX and ARG_MIN share, and how their models are made."""

from __future__ import annotations

from itertools import product

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from tinyml_rules.model_file.writer import ModelSpec, TensorSpec
from tinyml_rules.ops._shared.cases.case import (
    Case,
    Reference,
    Rejected,
    model_of,
    quantized,
    random,
    random_case,
    typed,
    with_options,
    with_tensor,
)
from tinyml_rules.ops._shared.cases.strategies import axes as any_axis
from tinyml_rules.ops._shared.cases.strategies import shapes

_OUTPUT_TYPES = {"int32": 2, "int64": 4}
_TYPES = ("int8", "float32", "uint8", "int32", "bool")
_OF_TFLM = (("int8", "int32"), ("float32", "int32"))


def axes(values: npt.ArrayLike) -> TensorSpec:
    """An operand that names axes."""
    data = np.asarray(values, np.int32)
    return TensorSpec("axis", data.shape, "int32", data=data)


def best_index(
    operator: str,
    shape: tuple[int, ...],
    axis: npt.ArrayLike,
    *,
    dtype: str = "int8",
    index: str = "int32",
) -> ModelSpec:
    """A search along an axis; `index` is the type of the output."""
    along = int(np.asarray(axis).reshape(-1)[0])
    result = tuple(np.delete(np.array(shape), along).tolist())
    source = quantized("input", shape) if dtype == "int8" else typed("input", shape, dtype)
    return model_of(
        operator,
        (source, axes(axis)),
        typed("output", result, index),
        options={"OutputType": _OUTPUT_TYPES[index]},
    )


_SHAPES: dict[str, tuple[tuple[int, ...], npt.ArrayLike]] = {
    "vector": ((10,), 0),
    "last": ((1, 10), 1),
    "last_negative": ((3, 10), -1),
    "axis_of_rank_1": ((3, 10), [1]),
    "first": ((5, 7), 0),
    "first_negative": ((5, 7), -2),
    "middle": ((2, 6, 5), 1),
    "channels": ((1, 4, 5, 6), 3),
    "channels_of_batches": ((3, 2, 2, 4), -1),
    "columns": ((1, 4, 5, 6), 2),
    "rows": ((2, 4, 5, 3), 1),
    "batches": ((4, 2, 3, 2), 0),
    "rank_5": ((2, 3, 2, 4, 2), 3),
    "one_value": ((4, 1), 1),
    "longer_than_int8": ((1, 300), 1),
}


def best_index_cases(operator: str) -> dict[str, Case]:
    """Every axis, equal values, the ends of int8, and real numbers."""
    cases = {}
    for name, (shape, axis) in _SHAPES.items():
        cases[name] = random_case(best_index(operator, shape, axis))
        model = best_index(operator, shape, axis, dtype="float32")
        cases[f"real_{name}"] = random_case(model)
    for name, (low, high) in {"few_values": (-1, 2), "ends": (-128, -126)}.items():
        values = random(3).integers(low, high, (20, 4, 6)).astype(np.int8)
        cases[name] = Case(best_index(operator, (4, 6), 1), (values,))
    for dtype, index in product(_TYPES, _OUTPUT_TYPES):
        model = best_index(operator, (2, 3, 4), 1, dtype=dtype, index=index)
        cases[f"{dtype}_to_{index}"] = random_case(model, reference=_reference(dtype, index))
    model = best_index(operator, (6,), 0, dtype="float32")
    return {**cases, "real_ends": Case(model, (_REALS,))}


def _reference(dtype: str, index: str) -> Reference:
    return Reference.TFLM if (dtype, index) in _OF_TFLM else Reference.LITERT


SAMPLES = tuple(f"{dtype}_to_{index}" for dtype, index in product(_TYPES, _OUTPUT_TYPES))
"""Cases between which every kernel is used."""


@st.composite
def best_index_models(draw: st.DrawFn, operator: str) -> Case:
    """Any types, shape and axis."""
    dtype, index = draw(st.sampled_from(_TYPES)), draw(st.sampled_from(sorted(_OUTPUT_TYPES)))
    shape = draw(shapes(most_rank=5))
    axis = draw(any_axis(len(shape)))
    model = best_index(operator, shape, axis, dtype=dtype, index=index)
    seed = draw(st.integers(0, 99))
    return random_case(model, seed=seed, reference=_reference(dtype, index))


_TINY, _NAN, _INF = np.finfo(np.float32).smallest_subnormal, np.nan, np.inf
_REALS = np.array(
    [
        [0.0, -0.0, 0.0, -0.0, 0.0, 0.0],
        [-0.0, 0.0, -0.0, -0.0, 0.0, 0.0],
        [1.0, _INF, -_INF, _INF, -_INF, 0.0],
        [_NAN, 1.0, 2.0, 0.0, 5.0, -3.0],
        [1.0, _NAN, 2.0, 0.0, _NAN, -3.0],
        [0.0, _TINY, -_TINY, 2 * _TINY, -2 * _TINY, 0.0],
        [1.0, 1.0 + 2.0**-23, 1.0 - 2.0**-24, 1.0, 1.0 + 2.0**-23, 1.0 - 2.0**-24],
    ],
    np.float32,
)


def best_index_rejected(operator: str) -> dict[str, Rejected]:
    """What `check` refuses."""
    model = best_index(operator, (3, 10), 1)
    return {
        "another_output_type": Rejected(
            with_options(model, OutputType=4),
            ("output tensor #2 'output' is int32, expected int64",),
        ),
        "output_type_0": Rejected(
            with_options(model, OutputType=0),
            ("output type 0, expected 2 (int32) or 4 (int64)",),
        ),
        "axis_outside": Rejected(
            with_tensor(model, 1, data=np.array(2, np.int32)),
            ("axis 2 of input tensor #0 'input', which has 2 dimensions",),
        ),
    }
