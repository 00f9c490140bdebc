"""Constants of which a file has the values that are not 0: `SparsityParameters` of the schema.

A tensor of k dimensions, some of which are divided into blocks, is a tensor of k + n, the last n
inside a block.  The file walks over these in `traversal_order`: along a dense dimension every index
is there, along a sparse one those that a list tells, from one segment of it to the next for each
place that the dimensions before have.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tinyml_rules.errors import ModelError
from tinyml_rules.ir.graph import Array
from tinyml_rules.model_file.flatbuffer import Table

DENSE, SPARSE = 0, 1
_INDEX_TYPES = {1: np.int32, 2: np.uint16, 3: np.uint8}
"""By the number of the union SparseIndexVector."""
Indices = npt.NDArray[np.int64]
Fail = Callable[[str], ModelError]


@dataclass(frozen=True, eq=False)
class Level:
    """One dimension in the order of the walk: its size if it is dense, else its lists."""

    size: int
    segments: Indices | None = None
    indices: Indices | None = None


def dense_values(stored: Array, table: Table, shape: tuple[int, ...], *, fail: Fail) -> Array:
    """The whole tensor, from its stored values in the order of the walk."""
    order = table.integers(0) or ()
    blocked = table.integers(1) or ()
    levels = [_level(each, fail) for each in table.tables(2)]
    sizes = _sizes(shape, order, blocked, levels, fail)
    places = _walk(levels, [sizes[dimension] for dimension in order], math.prod(shape), fail)
    if len(places[0]) != len(stored):
        raise fail(f"is sparse with {len(places[0])} places for {len(stored)} values")
    expanded = dict(zip(order, places, strict=True))
    rank, found = len(shape), []
    for dimension in range(rank):
        index = expanded[dimension]
        if dimension in blocked:
            block = rank + blocked.index(dimension)
            index = index * sizes[block] + expanded[block]
        found.append(index)
    dense: npt.NDArray[Any] = np.zeros(shape, stored.dtype)
    dense[tuple(found)] = stored
    return dense


def _level(table: Table, fail: Fail) -> Level:
    kind = table.int8(0)
    if kind == DENSE:
        return Level(table.int32(1))
    if kind != SPARSE:
        raise fail(f"has a dimension of format {kind}, expected {DENSE} (dense) or {SPARSE}")
    return Level(0, _list(table, 2, fail), _list(table, 4, fail))


def _list(table: Table, slot: int, fail: Fail) -> Indices:
    """The numbers of a union whose type is in the slot, and whose table is in the next."""
    kind, values = table.uint8(slot), table.table(slot + 1)
    if kind not in _INDEX_TYPES or values is None:
        raise fail(f"has a sparse dimension without a list of indices (type {kind})")
    found = values.values(0, _INDEX_TYPES[kind])
    return np.zeros(0, np.int64) if found is None else found.astype(np.int64)


def _sizes(
    shape: tuple[int, ...],
    order: Sequence[int],
    blocked: Sequence[int],
    levels: Sequence[Level],
    fail: Fail,
) -> list[int]:
    """The sizes of all dimensions, those of blocks last; those of dense ones are in the file."""
    rank = len(shape)
    is_whole = sorted(order) == list(range(rank + len(blocked))) and len(levels) == len(order)
    is_blocked = len(set(blocked)) == len(blocked) and all(0 <= each < rank for each in blocked)
    if not rank or not is_whole or not is_blocked:
        raise fail(f"is sparse along dimensions {list(order)}, in blocks of {list(blocked)}")
    named = dict(zip(order, levels, strict=True))
    sizes = [*shape, *(named[rank + place].size for place in range(len(blocked)))]
    for place, dimension in enumerate(blocked):
        block = sizes[rank + place]
        if block < 1 or shape[dimension] % block:
            raise fail(f"has blocks of {block} along dimension {dimension} of {shape[dimension]}")
        sizes[dimension] //= block
    for dimension, level in named.items():
        if level.segments is None and level.size != sizes[dimension]:
            raise fail(
                f"has dense dimension {dimension} of {level.size}, expected {sizes[dimension]}"
            )
    return sizes


def _walk(levels: Sequence[Level], sizes: Sequence[int], most: int, fail: Fail) -> list[Indices]:
    """The index of every stored value along each dimension, in the order of the walk."""
    places: list[Indices] = []
    count = 1
    for level, size in zip(levels, sizes, strict=True):
        if level.segments is None or level.indices is None:
            parents, own = np.repeat(np.arange(count), size), np.tile(np.arange(size), count)
        else:
            parents, own = _listed(level.segments, level.indices, count, size, fail)
        places = [each[parents] for each in places] + [own]
        count = len(own)
        if count > most:
            raise fail(f"is sparse with {count} places, expected at most {most}")
    return places


def _listed(
    segments: Indices, indices: Indices, count: int, size: int, fail: Fail
) -> tuple[Indices, Indices]:
    """The place before, and the index, of each entry of a sparse dimension."""
    lengths = np.diff(segments)
    ends = segments[[0, -1]].tolist() if len(segments) else []
    if len(segments) != count + 1 or ends != [0, len(indices)] or bool((lengths < 0).any()):
        raise fail(f"has segments of a sparse dimension that are not {count} of its indices")
    if len(indices) and not 0 <= int(indices.min()) <= int(indices.max()) < size:
        raise fail(f"has an index outside a sparse dimension of {size}")
    return np.repeat(np.arange(count), lengths), indices
