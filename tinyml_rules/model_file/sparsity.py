"""Sparsity of a constant into a file, the mirror of `sparse.py`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import tflite
from flatbuffers.builder import Builder

INDEX_TYPES = {
    "int32": ("Int32Vector", 1),
    "uint16": ("Uint16Vector", 2),
    "uint8": ("Uint8Vector", 3),
}
"""By the element type of a list: its table, and its number in the union SparseIndexVector."""


@dataclass(frozen=True)
class Dimension:
    """Dense with a size, or sparse with lists."""

    size: int = 0
    segments: Sequence[int] | None = None
    indices: Sequence[int] = ()
    index_type: str = "int32"


@dataclass(frozen=True)
class Sparsity:
    """`SparsityParameters` of the schema; the dimensions are in the order of the walk."""

    order: Sequence[int]
    dimensions: Sequence[Dimension]
    blocked: Sequence[int] = ()


def write_sparsity(builder: Builder, spec: Sparsity) -> int:
    """The offset of the table."""
    order, blocked = (
        builder.CreateNumpyVector(np.array(each, np.int32)) for each in (spec.order, spec.blocked)
    )
    offsets = [_dimension(builder, each) for each in spec.dimensions]
    builder.StartVector(4, len(offsets), 4)
    for offset in reversed(offsets):
        builder.PrependUOffsetTRelative(offset)
    dimensions = builder.EndVector()
    tflite.SparsityParametersStart(builder)
    tflite.SparsityParametersAddTraversalOrder(builder, order)
    tflite.SparsityParametersAddBlockMap(builder, blocked)
    tflite.SparsityParametersAddDimMetadata(builder, dimensions)
    return int(tflite.SparsityParametersEnd(builder))


def _dimension(builder: Builder, spec: Dimension) -> int:
    lists = () if spec.segments is None else (spec.segments, spec.indices)
    offsets = [_list(builder, each, spec.index_type) for each in lists]
    _, kind = INDEX_TYPES[spec.index_type]
    tflite.DimensionMetadataStart(builder)
    tflite.DimensionMetadataAddFormat(builder, int(bool(lists)))
    tflite.DimensionMetadataAddDenseSize(builder, spec.size)
    if offsets:
        tflite.DimensionMetadataAddArraySegmentsType(builder, kind)
        tflite.DimensionMetadataAddArraySegments(builder, offsets[0])
        tflite.DimensionMetadataAddArrayIndicesType(builder, kind)
        tflite.DimensionMetadataAddArrayIndices(builder, offsets[1])
    return int(tflite.DimensionMetadataEnd(builder))


def _list(builder: Builder, values: Sequence[int], index_type: str) -> int:
    table, _ = INDEX_TYPES[index_type]
    vector = builder.CreateNumpyVector(np.array(values, index_type))
    getattr(tflite, f"{table}Start")(builder)
    getattr(tflite, f"{table}AddValues")(builder, vector)
    return int(getattr(tflite, f"{table}End")(builder))
