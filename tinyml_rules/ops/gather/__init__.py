"""GATHER: the elements at given indices of an axis."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from tinyml_rules.ir.buffers import Place
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.options import option
from tinyml_rules.ops._shared import gathering as of_gathering
from tinyml_rules.ops._shared.gathering import Gathering, check_indices, meanings
from tinyml_rules.ops._shared.moving import check_axis, plain_axis
from tinyml_rules.ops._shared.operands import alike, movable, plain
from tinyml_rules.ops._shared.operator import Op
from tinyml_rules.ops._shared.quantization import moves


@dataclass(frozen=True)
class Attrs:
    """GatherOptions."""

    axis: int = option(0, "int32")
    batch_dims: int = option(1, "int32")


def check(view: NodeView) -> Iterator[str]:
    """The axis is after the batch dimensions, and constant indices are within it."""
    attrs, source, indices = view.node.attrs, view["input"], view["indices"]
    assert isinstance(attrs, Attrs)
    wrong = list(check_axis(attrs.axis, len(source.shape)))
    most = len(indices.shape)
    if not -most <= attrs.batch_dims <= most:
        wrong.append(f"{attrs.batch_dims} batch dimensions, expected at most {most}")
    yield from wrong
    if wrong:
        return
    axis, batch_dims = _dimensions(view)
    if batch_dims > axis:
        yield f"{batch_dims} batch dimensions, expected at most {axis}, which is the axis"
    elif source.shape[:batch_dims] != indices.shape[:batch_dims]:
        yield (
            f"indices tensor {indices} has shape {list(indices.shape)}, "
            f"expected it to begin with {list(source.shape[:batch_dims])}"
        )
    else:
        yield from check_indices(indices, (source.shape[axis],))


def _result_shape(view: NodeView) -> tuple[int, ...]:
    shape, (axis, batch_dims) = view["input"].shape, _dimensions(view)
    return (*shape[:axis], *view["indices"].shape[batch_dims:], *shape[axis + 1 :])


OPERANDS = {
    "input": movable(),
    "indices": plain(DType.INT32),
    "output": alike("input", shape=_result_shape),
}


def _dimensions(view: NodeView) -> tuple[int, int]:
    """(axis, number of batch dimensions)."""
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    axis = plain_axis(attrs.axis, len(view["input"].shape))
    return axis, plain_axis(attrs.batch_dims, len(view["indices"].shape))


def gathering(view: NodeView) -> Gathering:
    """The gathering of a checked node."""
    axis, batch_dims = _dimensions(view)
    source, indices = view["input"], view["indices"]
    return Gathering(
        source,
        indices,
        batches=math.prod(source.shape[:batch_dims]),
        outer=math.prod(source.shape[batch_dims:axis]),
        axes=(source.shape[axis],),
        count=math.prod(indices.shape[batch_dims:]),
        inner=math.prod(source.shape[axis + 1 :]),
    )


def layout(view: NodeView) -> tuple[Place, ...] | None:
    """For constant indices."""
    return of_gathering.layout(view, gathering(view))


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """numpy's own, for each batch."""
    attrs, indices = view.node.attrs, values[view["indices"].index].astype(np.int64)
    assert isinstance(attrs, Attrs)
    source = values[view["input"].index]
    axis, count = attrs.axis % source.ndim, attrs.batch_dims
    count += indices.ndim if count < 0 else 0
    found = np.zeros(view.output.shape, source.dtype)
    for batch in np.ndindex(*source.shape[:count]):
        found[batch] = np.take(source[batch], indices[batch], axis=axis - count, mode="clip")
    return found


OP = Op(
    name="gather",
    builtin_code=36,
    options_type=23,
    attrs=Attrs,
    inputs=("input", "indices"),
    summary="any type; any axis and batch dimensions; int32 indices, constant or computed and then "
    "kept inside; neighbours of the outermost dimension free",
    layout=layout,
    meanings=meanings(OPERANDS, check, oracle, gathering),
    quantization=moves(int16_version=4),
)
