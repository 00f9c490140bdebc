"""Tensors of a file: shapes, types, quantization, and the values of constants."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import cache

import numpy as np

from tinyml_rules.arithmetic.nibbles import from_nibbles
from tinyml_rules.errors import ModelError
from tinyml_rules.ir.dtype import DType, file_bytes
from tinyml_rules.ir.graph import Array, Quantization, Tensor
from tinyml_rules.model_file.flatbuffer import Table
from tinyml_rules.model_file.sparse import dense_values

MAX_RANK = 8
MAX_ELEMENTS = 2**24
"""Limit of one tensor; no microcontroller has the memory for more."""
LEAST_SCALE = 2.0**-126
"""In the place of a scale of 0: the least that float32 has in full, so that a multiplier made of it
is 0, as the one that TFLM makes of 0."""

_DTYPES = tuple(DType)


@cache
def _zero_points_of(dtype: DType) -> tuple[float, float]:
    """The least and the greatest; any for a type that has no integers."""
    numpy_type = dtype.numpy or np.dtype(np.int64)
    if numpy_type.kind not in "iu":
        return -math.inf, math.inf
    limits = np.iinfo(numpy_type.name)
    return int(limits.min), int(limits.max)


def _is_zero_without_scale(values: Array, quantization: Quantization) -> bool:
    """Whether all values that have scale 0 are the zero point, so that any scale means the same."""
    slices = np.moveaxis(values, quantization.axis, 0) if quantization.is_per_axis else values[None]
    pairs = zip(slices, quantization.scales, quantization.zero_points, strict=True)
    return all(scale or np.all(part == zero_point) for part, scale, zero_point in pairs)


def with_empty_constants(
    tensors: Sequence[Tensor], *, given: Collection[int]
) -> tuple[Tensor, ...]:
    """The tensors, those without elements as constants unless their values are `given`: the file
    has no bytes for them, so that nothing else tells (the shape of a scalar, for example)."""
    return tuple(
        replace(each, data=np.empty(each.shape, each.dtype.numpy))
        if each.count == 0
        and each.dtype.numpy is not None
        and not each.is_variable
        and each.index not in given
        else each
        for each in tensors
    )


class TensorReader:
    """Reads the tensors of every sub-graph of a file; `where` begins each error."""

    def __init__(self, data: bytes, where: str, buffers: Sequence[Table]) -> None:
        self._data = data
        self._where = where
        self._buffers = buffers

    def _broken(self, text: str) -> ModelError:
        return ModelError([*ModelError.at(self._where, text).problems])

    def tensor(self, index: int, table: Table) -> Tensor:
        """The tensor `index` of a sub-graph."""
        name = table.string(3)
        where = f"tensor #{index} {name!r}"
        code = table.int8(1)
        if not 0 <= code < len(_DTYPES):
            raise self._broken(f"{where} has unknown type {code}")
        dtype = _DTYPES[code]
        shape = self._shape(where, table)
        sparsity = table.table(6)
        unread = "" if dtype.numpy is not None else f"of type {dtype}"
        if sparsity is not None and dtype is DType.INT4:
            unread = "sparse, of type int4"
        stored = self._constant(where, table.uint32(2))
        values = None
        if stored is not None and not unread:
            values = self._values(where, stored, shape, dtype, sparsity)
        return Tensor(
            index=index,
            name=name,
            shape=shape,
            dtype=dtype,
            quantization=self._quantization(where, table.table(4), shape, dtype, values),
            data=stored if values is None else values,
            is_variable=table.boolean(5),
            unread="" if stored is None else unread,
        )

    def _shape(self, where: str, table: Table) -> tuple[int, ...]:
        """The shape; a batch that shape_signature leaves open (-1) is 1 in the shape itself."""
        values = table.values(0, np.int32)
        if values is None:
            return ()
        if len(values) > MAX_RANK:
            raise self._broken(f"{where} has {len(values)} dimensions, expected at most {MAX_RANK}")
        shape = tuple(int(value) for value in values.tolist())
        if any(dimension < 0 for dimension in shape):
            raise self._broken(f"{where} has shape {list(shape)}, expected no negative dimension")
        if math.prod(shape) > MAX_ELEMENTS:
            raise self._broken(f"{where} has shape {list(shape)}, which is too large")
        return shape

    def _quantization(
        self,
        where: str,
        table: Table | None,
        shape: tuple[int, ...],
        dtype: DType,
        values: Array | None,
    ) -> Quantization | None:
        """Scales and zero points, None without scales (as in a tensor of floats)."""
        read = None if table is None else table.values(2, np.float32)
        if table is None or read is None or not len(read):
            return None
        scales: tuple[float, ...] = tuple(read.tolist())
        zero_points = table.integers(3, np.int64) or (0,)
        if len(zero_points) not in (1, len(scales)):
            raise self._broken(
                f"{where} has {len(scales)} scales but {len(zero_points)} zero points"
            )
        self._check_zero_points(where, zero_points, dtype)
        found = Quantization(
            scales=scales,
            zero_points=zero_points if len(zero_points) > 1 else zero_points * len(scales),
            axis=self._axis(where, table.int32(6), len(scales), shape),
        )
        if not all(0 <= scale < math.inf for scale in found.scales):
            raise self._broken(f"{where} has a scale that is not a positive number")
        if 0 not in found.scales:
            return found
        if values is None or not _is_zero_without_scale(values, found):
            raise self._broken(f"{where} has scale 0, which only constants of zeros may have")
        return replace(found, scales=tuple(scale or LEAST_SCALE for scale in found.scales))

    def _check_zero_points(self, where: str, values: Sequence[int], dtype: DType) -> None:
        """A zero point is a value of the tensor's own type."""
        least, greatest = _zero_points_of(dtype)
        if min(values) < least or max(values) > greatest:
            raise self._broken(f"{where} has a zero point outside {dtype}")

    def _axis(self, where: str, axis: int, count: int, shape: tuple[int, ...]) -> int:
        """The quantized dimension.  A vector has only one, even if the file names another:
        person_detect's biases name dimension 3."""
        if count == 1:
            return 0
        if len(shape) == 1:
            axis = 0
        if not 0 <= axis < len(shape):
            raise self._broken(f"{where} is quantized along dimension {axis} of {len(shape)}")
        if shape[axis] != count:
            raise self._broken(
                f"{where} has {count} scales along dimension {axis}, which has {shape[axis]} slices"
            )
        return axis

    def _constant(self, where: str, index: int) -> Array | None:
        """A constant's bytes, as a view of the file; None for a tensor without a buffer."""
        if index >= len(self._buffers):
            raise self._broken(f"{where} names buffer {index} of {len(self._buffers)}")
        data = self._buffer(where, self._buffers[index])
        return np.frombuffer(data, np.uint8) if len(data) else None

    def _values(
        self, where: str, data: Array, shape: tuple[int, ...], dtype: DType, sparsity: Table | None
    ) -> Array:
        """The bytes as numbers of the tensor's shape, with zeros where a sparse one has none."""
        assert dtype.numpy is not None
        if sparsity is not None:
            numbers = data[: len(data) // dtype.size_bytes * dtype.size_bytes]
            return dense_values(
                numbers.view(dtype.numpy.newbyteorder("<")),
                sparsity,
                shape,
                fail=lambda text: self._broken(f"{where} {text}"),
            )
        count = math.prod(shape)
        needed = file_bytes(dtype, count)
        if len(data) != needed:
            raise self._broken(f"{where} needs {needed} bytes, but its buffer has {len(data)}")
        if dtype is DType.INT4:
            return from_nibbles(data, count).reshape(shape)
        return data.view(dtype.numpy.newbyteorder("<")).reshape(shape)

    def _buffer(self, where: str, table: Table) -> memoryview:
        """A buffer's bytes, inside the flatbuffer or, in very large files, after it."""
        inside = table.values(0, np.uint8)
        if inside is not None:
            return inside.data
        offset, size = table.uint64(1), table.uint64(2)
        if offset <= 1:
            return memoryview(b"")
        if offset + size > len(self._data):
            raise self._broken(f"{where} has its bytes at offset {offset}, outside the file")
        return memoryview(self._data)[offset : offset + size]
