"""Cases of the operators that reduce plain numbers, and how their models are made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from tinyml_rules.model_file.writer import ModelSpec, TensorSpec
from tinyml_rules.ops._shared.cases.best_index import axes
from tinyml_rules.ops._shared.cases.case import (
    Case,
    Reference,
    Rejected,
    model_of,
    random,
    random_case,
    typed,
    with_tensor,
)
from tinyml_rules.ops._shared.cases.reduction import GEOMETRY, kept_shape
from tinyml_rules.ops._shared.cases.strategies import SCALES, Shape, shapes
from tinyml_rules.ops._shared.cases.strategies import axes as any_axis

References = Mapping[str, Reference]
"""By element type: those that an operator takes."""

_QUANTIZED = ("int8", "uint8", "int16")
_KINDS = ("image", "image_of_batches", "rows", "channels", "batches_and_columns", "everything")
_NAN, _INF = np.nan, np.inf
_REALS = np.array(
    [
        [0.0, -0.0, 1.0, -1.0],
        [_NAN, 1.0, 2.0, -3.0],
        [1.0, _NAN, 2.0, -3.0],
        [_INF, -_INF, 1.0, 2.0],
        [-_INF, -_INF, -_INF, -_INF],
        [_NAN, _NAN, _NAN, _NAN],
        [3e38, 3e38, -3e38, -3e38],
    ],
    np.float32,
)
_FINITE = (0, 6)
"""Those of which sums and products are numbers, whose bits are the same on every part."""


def plain_reduction(
    operator: str,
    dtype: str,
    shape: Shape = (1, 4, 5, 6),
    over: int | Sequence[int] = (1, 2),
    *,
    keeps: bool = False,
    scale: float = 0.5,
) -> ModelSpec:
    """A reduction over axes."""
    return model_of(
        operator,
        (_tensor("input", shape, dtype, scale), axes(over)),
        _tensor("output", kept_shape(shape, over, keeps=keeps), dtype, scale),
        options={"KeepDims": keeps},
        version=1 if dtype == "bool" else 2,
    )


def _tensor(name: str, shape: Shape, dtype: str, scale: float) -> TensorSpec:
    tensor = typed(name, shape, dtype)
    if dtype not in _QUANTIZED:
        return tensor
    return replace(tensor, scales=(scale,), zero_points=(0 if dtype == "int16" else 3,))


def plain_reduction_cases(
    operator: str, references: References, *, compares: bool = False
) -> dict[str, Case]:
    """Every type with every kind of axes; small numbers; real numbers that are none."""
    cases = {}
    for dtype, reference in references.items():
        for name in _KINDS:
            model = plain_reduction(operator, dtype, *GEOMETRY[name], keeps=name == "rows")
            cases[f"{dtype}_{name}"] = random_case(model, reference=reference)
        if dtype not in ("float32", "bool"):
            values = random(4).integers(0, 4, (9, 2, 3)).astype(dtype)
            model = plain_reduction(operator, dtype, (2, 3), 0)
            cases[f"{dtype}_few_values"] = Case(model, (values,), reference=reference)
    if "float32" in references:
        reals = _REALS if compares else _REALS[list(_FINITE)]
        model = plain_reduction(operator, "float32", (4,), 0)
        cases["float32_ends"] = Case(model, (reals,), reference=references["float32"])
    return cases


@st.composite
def plain_reduction_models(draw: st.DrawFn, operator: str, references: References) -> Case:
    """Any type, shape and axes."""
    dtype, shape = draw(st.sampled_from(sorted(references))), draw(shapes(most_rank=5, most=4))
    over = draw(st.lists(any_axis(len(shape)), min_size=1, max_size=len(shape) + 1))
    model = plain_reduction(
        operator,
        dtype,
        shape,
        over[0] if len(over) == 1 and draw(st.booleans()) else over,
        keeps=draw(st.booleans()),
        scale=draw(SCALES),
    )
    return random_case(model, seed=draw(st.integers(0, 99)), reference=references[dtype])


def reduction_axes_rejected(operator: str, dtype: str) -> dict[str, Rejected]:
    """An axis that there is not."""
    model = with_tensor(plain_reduction(operator, dtype), 1, data=np.array([1, 4], np.int32))
    text = "axis 4 of input tensor #0 'input', which has 4 dimensions"
    return {"axis_outside": Rejected(model, (text,))}
