"""GATHER_ND: what may be wrong with a node, and how its dimensions are walked over."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np

from tinyml_rules.ir.buffers import Place
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared import constraints
from tinyml_rules.ops._shared import gathering as of_gathering
from tinyml_rules.ops._shared.gathering import Gathering, check_indices
from tinyml_rules.ops._shared.moving import moved, places

MOST_INDICES = 5
"""MAX_INDICES_ND of TFLM."""


def check(view: NodeView) -> Iterator[str]:
    """Tuples of indices, for the first dimensions of the input."""
    source, indices, result = view.input(0), view.input(1), view.output
    yield from moved((source,), (result,))
    wrong = list(places(indices, "indices", DType.INT32))
    most = min(len(source.shape), MOST_INDICES)
    if not indices.shape or not 1 <= indices.shape[-1] <= most:
        wrong.append(
            f"indices tensor {indices} has shape {list(indices.shape)}, "
            f"expected 1 to {most} in its last dimension"
        )
    yield from wrong
    if not wrong:
        depth = indices.shape[-1]
        yield from check_indices(indices, source.shape[:depth])
        yield from constraints.shaped(result, (*indices.shape[:-1], *source.shape[depth:]))


def gathering(view: NodeView) -> Gathering:
    """Of a checked node."""
    source, indices = view.input(0), view.input(1)
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
    """Where the indices are constants."""
    return of_gathering.layout(view, gathering(view))


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """numpy's indexing."""
    source, indices = values[view.input(0).index], values[view.input(1).index].astype(np.int64)
    most = np.array(source.shape[: indices.shape[-1]]) - 1
    kept = np.clip(indices, 0, most)
    return np.array(source[tuple(np.moveaxis(kept, -1, 0))])
