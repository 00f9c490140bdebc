"""Cases of GATHER: axes, batches, constant and computed indices, types, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.case import (
    Case,
    Rejected,
    filled,
    int32s,
    model_of,
    plain,
    typed,
    with_options,
    with_tensor,
)
from tinyml_rules.ops._shared.cases.moving import Shape, Types
from tinyml_rules.ops._shared.cases.strategies import FEW, axes, shapes

TYPES = Types(("int8", "float32"), ("int16", "int32", "int64", "bool", "uint8"))


def gather(
    shape: Shape = (5, 4),
    indices: npt.ArrayLike | None = (0, 3),
    *,
    axis: int = 0,
    batch_dims: int = 0,
    of_indices: Shape = (2,),
    dtype: str = "int8",
    has_constant: bool = False,
) -> ModelSpec:
    """Indices of None are computed, `of_indices` then is their shape."""
    at = typed("indices", of_indices, "int32") if indices is None else int32s("indices", indices)
    along = axis % len(shape)
    batches = batch_dims + len(at.shape) if batch_dims < 0 else batch_dims
    result = (*shape[:along], *at.shape[batches:], *shape[along + 1 :])
    source = plain("input", shape, dtype)
    inputs = [filled(source) if has_constant else source, at]
    options = {"Axis": axis, "BatchDims": batch_dims}
    return model_of("GATHER", inputs, plain("output", result, dtype), options=options)


def _case(model: ModelSpec) -> Case:
    """Computed indices are places along the axis."""
    operator = model.operators[0]
    axis = operator.options["Axis"]
    assert isinstance(axis, int)
    computed = {model.inputs.index(1): model.tensors[0].shape[axis]} if 1 in model.inputs else {}
    return TYPES.case(model, computed)


_BATCHES = [[1, 0], [0, 0], [2, 3]]

CASES = {
    "rows": _case(gather()),
    "neighbours": _case(gather(indices=(1, 2, 3))),
    "one_row": _case(gather(indices=3)),
    "backwards": _case(gather(indices=(4, 3, 1, 0, 2))),
    "many": _case(gather((9, 2), (4, 0, 7, 7, 2, 8, 1, 0, 3, 5))),
    "columns": _case(gather(indices=(1, 1, 0), axis=1)),
    "many_columns": _case(gather((3, 9), (4, 0, 7, 7, 2, 8, 1, 0, 3, 5), axis=-1)),
    "middle": _case(gather((2, 4, 3), (3, 0), axis=1)),
    "matrix_of_indices": _case(gather(indices=((0, 4), (2, 2)))),
    "batches": _case(gather((3, 4), _BATCHES, axis=1, batch_dims=1)),
    "batches_before_the_axis": _case(gather((3, 2, 4, 2), _BATCHES, axis=2, batch_dims=1)),
    "negative_batch_dims": _case(gather((3, 4), _BATCHES, axis=1, batch_dims=-1)),
    "computed": _case(gather(indices=None)),
    "computed_one": _case(gather(indices=None, of_indices=())),
    "computed_columns": _case(gather((3, 2, 4), None, axis=-1, of_indices=(2, 3))),
    "computed_batches": _case(gather((2, 3, 4, 2), None, axis=2, batch_dims=1, of_indices=(2, 3))),
    **{
        f"constant_indices_{name}": each
        for name, each in TYPES.cases(lambda t: gather(dtype=t)).items()
    },
    **{
        f"computed_{dtype}": _case(gather(indices=None, dtype=dtype))
        for dtype in (*TYPES.tflm, *TYPES.litert)
    },
    **{
        f"table_{dtype}": _case(gather(indices=None, dtype=dtype, has_constant=True))
        for dtype in (*TYPES.tflm, *TYPES.litert)
    },
}

SAMPLES = tuple(
    f"{kind}_{dtype}"
    for kind in ("computed", "table")
    for dtype in ("int8", "int16", "int32", "int64", "float32")
)
"""One case for each kernel."""


def _rejected(*errors: str, tensor: int, **changes: Any) -> Rejected:
    return Rejected(with_tensor(gather(), tensor, **changes), errors)


REJECTED = {
    "index_outside": _rejected(
        "indices tensor #1 'indices' has 5, expected places below 5",
        tensor=1,
        data=np.array([0, 5], np.int32),
    ),
    "negative_index": _rejected(
        "indices tensor #1 'indices' has -1, expected places below 5",
        tensor=1,
        data=np.array([-1, 3], np.int32),
    ),
    "axis_outside": Rejected(
        with_options(gather(), Axis=2), ("axis 2, expected one of 2 dimensions",)
    ),
    "batch_dims_outside": Rejected(
        with_options(gather(), BatchDims=2), ("2 batch dimensions, expected at most 1",)
    ),
    "batch_dims_beyond_the_axis": Rejected(
        with_options(gather(), BatchDims=1),
        ("1 batch dimensions, expected at most 0, which is the axis",),
    ),
    "other_batches": Rejected(
        with_options(gather(), BatchDims=1, Axis=1),
        ("indices tensor #1 'indices' has shape [2], expected it to begin with [5]",),
    ),
}


@st.composite
def _models(draw: st.DrawFn) -> Case:
    shape = draw(shapes())
    axis = draw(axes(len(shape)))
    batches = draw(st.integers(0, axis % len(shape)))
    of_indices = (*shape[:batches], *draw(st.lists(FEW, max_size=2)))
    size = shape[axis]
    places = st.integers(0, size - 1)
    count = int(np.prod(of_indices, dtype=int))
    values = np.array(draw(st.lists(places, min_size=count, max_size=count))).reshape(of_indices)
    is_computed = draw(st.booleans())
    sign = len(of_indices) if batches and draw(st.booleans()) else 0
    model = gather(
        shape,
        None if is_computed else values,
        axis=axis,
        batch_dims=batches - sign,
        of_indices=of_indices,
        dtype=draw(TYPES.drawn),
        has_constant=is_computed and draw(st.booleans()),
    )
    return _case(model)


MODELS = _models()
