"""Cases that ARG_MAX and ARG_MIN share, and how their models are made."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from hypothesis import (
    strategies as st,
)

from tinyml_rules.model_file.writer import ModelSpec, TensorSpec
from tinyml_rules.ops._shared.cases.case import (
    Case,
    Rejected,
    model_of,
    quantized,
    random,
    random_case,
    typed,
    with_options,
    with_tensor,
)
from tinyml_rules.ops._shared.cases.strategies import shapes

_INT32 = 2


def axes(values: npt.ArrayLike) -> TensorSpec:
    """An operand that names axes."""
    data = np.asarray(values, np.int32)
    return TensorSpec("axis", data.shape, "int32", data=data)


def best_index(
    operator: str, shape: tuple[int, ...], axis: npt.ArrayLike, *, is_real: bool = False
) -> ModelSpec:
    """A search along an axis."""
    along = int(np.asarray(axis).reshape(-1)[0])
    result = tuple(np.delete(np.array(shape), along).tolist())
    source = typed("input", shape, "float32") if is_real else quantized("input", shape)
    return model_of(
        operator,
        (source, axes(axis)),
        typed("output", result, "int32"),
        options={"OutputType": _INT32},
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
        cases[f"real_{name}"] = random_case(best_index(operator, shape, axis, is_real=True))
    for name, (low, high) in {"few_values": (-1, 2), "ends": (-128, -126)}.items():
        values = random(3).integers(low, high, (20, 4, 6)).astype(np.int8)
        cases[name] = Case(best_index(operator, (4, 6), 1), (values,))
    return {**cases, "real_ends": Case(best_index(operator, (6,), 0, is_real=True), (_REALS,))}


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
        "int16": Rejected(
            with_tensor(model, 0, dtype="int16"),
            ("input tensor #0 'input' is int16, expected int8",),
        ),
        "int64_output": Rejected(
            with_options(with_tensor(model, 2, dtype="int64"), OutputType=4),
            (
                "output tensor #2 'output' is int64, expected int32",
                "output type 4, expected 2 (int32)",
            ),
        ),
        "computed_axis": Rejected(
            with_tensor(model, 1, data=None),
            ("axis tensor #1 'axis' is computed at run time, expected a constant",),
        ),
        "int64_axis": Rejected(
            with_tensor(model, 1, dtype="int64", data=np.array(1, np.int64)),
            ("axis tensor #1 'axis' is int64, expected int32",),
        ),
        "two_axes": Rejected(
            with_tensor(model, 1, shape=(2,), data=np.array([0, 1], np.int32)),
            ("axis tensor #1 'axis' has 2 values, expected 1",),
        ),
        "axis_outside": Rejected(
            with_tensor(model, 1, data=np.array(2, np.int32)),
            ("axis 2 of input tensor #0 'input', which has 2 dimensions",),
        ),
        "wrong_output_shape": Rejected(
            with_tensor(model, 2, shape=(3, 1)),
            ("output tensor #2 'output' has shape [3, 1], expected [3]",),
        ),
    }


@st.composite
def best_index_models(draw: st.DrawFn, operator: str) -> ModelSpec:
    """Any axis, as a number or as a vector of one."""
    shape = draw(shapes(most_rank=5))
    axis = draw(st.integers(-len(shape), len(shape) - 1))
    values = [axis] if draw(st.booleans()) else axis
    return best_index(operator, shape, values, is_real=draw(st.booleans()))
