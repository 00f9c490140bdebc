"""GATHER_ND: the elements, or slices, at given tuples of indices."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from tinyml_rules.ir.buffers import Place
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared import gathering as of_gathering
from tinyml_rules.ops._shared.gathering import Gathering, check_indices, meanings
from tinyml_rules.ops._shared.operands import alike, movable, plain
from tinyml_rules.ops._shared.operator import Op
from tinyml_rules.ops._shared.quantization import MOVES_FIRST_VERSION

MOST_INDICES = 5
"""MAX_INDICES_ND of TFLM."""


def check(view: NodeView) -> Iterator[str]:
    """Indices are tuples for the first dimensions of the input."""
    source, indices = view["input"], view["indices"]
    most = min(len(source.shape), MOST_INDICES)
    if not indices.shape or not 1 <= indices.shape[-1] <= most:
        yield (
            f"indices tensor {indices} has shape {list(indices.shape)}, "
            f"expected 1 to {most} in its last dimension"
        )
    else:
        yield from check_indices(indices, source.shape[: indices.shape[-1]])


def _result_shape(view: NodeView) -> tuple[int, ...]:
    *places, depth = view["indices"].shape
    return (*places, *view["input"].shape[depth:])


OPERANDS = {
    "input": movable(),
    "indices": plain(DType.INT32),
    "output": alike("input", shape=_result_shape),
}


def gathering(view: NodeView) -> Gathering:
    """The gathering of a checked node."""
    source, indices = view["input"], view["indices"]
    *counts, depth = indices.shape
    return Gathering(
        source,
        indices,
        batches=1,
        outer=1,
        axes=source.shape[:depth],
        count=math.prod(counts),
        inner=math.prod(source.shape[depth:]),
    )


def layout(view: NodeView) -> tuple[Place, ...] | None:
    """For constant indices."""
    return of_gathering.layout(view, gathering(view))


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """numpy's indexing."""
    source, indices = values[view["input"].index], values[view["indices"].index].astype(np.int64)
    most = np.array(source.shape[: indices.shape[-1]]) - 1
    kept = np.clip(indices, 0, most)
    return np.array(source[tuple(np.moveaxis(kept, -1, 0))])


OP = Op(
    name="gather_nd",
    builtin_code=107,
    options_type=83,
    inputs=("input", "indices"),
    summary="any type; up to 5 int32 indices a place, constant or computed and then kept inside",
    layout=layout,
    meanings=meanings(OPERANDS, check, oracle, gathering),
    quantization=replace(MOVES_FIRST_VERSION, int16_version=3),
)
