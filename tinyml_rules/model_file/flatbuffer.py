"""A checked cursor over a flatbuffer: nothing is read before its offset and size are in bounds.

The flatbuffers package for Python has no verifier, and a model file is untrusted.  This module
knows the format (tables, vectors, strings) and no schema; a field is named by its slot, the
position of its declaration in the schema.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from flatbuffers import packer as pack

from tinyml_rules.ir.options import Kind

REREAD_LIMIT = 64
"""How often, on average, each byte of a file may be read: offsets may lead many tables to the same
bytes, and a small file must not unfold into a huge graph."""


class BrokenBufferError(Exception):
    """The bytes break the format; the text says where.  The reader turns it into a ModelError."""


class Source:
    """The bytes of a file, with the budget of reads that is left."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self._budget = REREAD_LIMIT * len(data)

    def claim(self, position: int, size: int) -> None:
        """Check that bytes position .. position + size - 1 exist, and count them as read."""
        if position < 0 or size < 0 or position + size > len(self.data):
            raise BrokenBufferError(
                f"{size:,} bytes at offset {position} lie outside the file of "
                f"{len(self.data):,} bytes"
            )
        self._budget -= size + 1
        if self._budget < 0:
            raise BrokenBufferError("its tables refer to the same bytes repeatedly")

    def scalar(self, position: int, packer: struct.Struct) -> int | float | bool:
        self.claim(position, packer.size)
        value: int | float | bool = packer.unpack_from(self.data, position)[0]
        return value

    def offset(self, position: int) -> int:
        """The position that the unsigned offset at `position` leads to."""
        return position + int(self.scalar(position, pack.uint32))


class Table:
    """One table; a missing field gives its default, as the format prescribes."""

    def __init__(self, source: Source, position: int) -> None:
        self._source = source
        self._position = position
        self._vtable = position - int(source.scalar(position, pack.int32))
        self._vtable_bytes = int(source.scalar(self._vtable, pack.uint16))
        self._table_bytes = int(source.scalar(self._vtable + 2, pack.uint16))
        if self._vtable_bytes < 4 or self._vtable_bytes % 2:
            raise BrokenBufferError(f"the vtable at offset {self._vtable} has a broken size")
        source.claim(self._vtable, self._vtable_bytes)
        source.claim(position, self._table_bytes)

    def _field(self, slot: int, size: int) -> int | None:
        entry = 4 + 2 * slot
        if entry + 2 > self._vtable_bytes:
            return None
        start = int(self._source.scalar(self._vtable + entry, pack.uint16))
        if start == 0:
            return None
        if start < 4 or start + size > self._table_bytes:
            raise BrokenBufferError(
                f"field {slot} of the table at offset {self._position} lies outside it"
            )
        return self._position + start

    def _number(self, slot: int, packer: struct.Struct) -> int | float | bool | None:
        position = self._field(slot, packer.size)
        return None if position is None else self._source.scalar(position, packer)

    def int8(self, slot: int, default: int = 0) -> int:
        value = self._number(slot, pack.int8)
        return default if value is None else int(value)

    def uint8(self, slot: int, default: int = 0) -> int:
        value = self._number(slot, pack.uint8)
        return default if value is None else int(value)

    def int32(self, slot: int, default: int = 0) -> int:
        value = self._number(slot, pack.int32)
        return default if value is None else int(value)

    def uint32(self, slot: int, default: int = 0) -> int:
        value = self._number(slot, pack.uint32)
        return default if value is None else int(value)

    def uint64(self, slot: int, default: int = 0) -> int:
        value = self._number(slot, pack.uint64)
        return default if value is None else int(value)

    def float32(self, slot: int, default: float = 0.0) -> float:
        value = self._number(slot, pack.float32)
        return default if value is None else float(value)

    def boolean(self, slot: int, default: bool = False) -> bool:
        return bool(self.uint8(slot, default))

    def read(self, kind: Kind, slot: int, default: Any) -> Any:
        """A field of any type that an operator's options have."""
        match kind:
            case "string":
                return self.string(slot)
            case "int32[]":
                return self.integers(slot) or default
            case "uint8[]":
                return self.integers(slot, np.uint8) or default
            case "bool":
                return self.boolean(slot, default)
        return getattr(self, kind)(slot, default)

    def has(self, slot: int) -> bool:
        return self._field(slot, 1) is not None

    def _target(self, slot: int) -> int | None:
        position = self._field(slot, 4)
        return None if position is None else self._source.offset(position)

    def table(self, slot: int) -> Table | None:
        position = self._target(slot)
        return None if position is None else Table(self._source, position)

    def _vector(self, slot: int, item_bytes: int) -> tuple[int, int] | None:
        """(position of the first item, number of items) of the vector in `slot`."""
        position = self._target(slot)
        if position is None:
            return None
        length = int(self._source.scalar(position, pack.uint32))
        self._source.claim(position + 4, length * item_bytes)
        return position + 4, length

    def values(self, slot: int, dtype: npt.DTypeLike) -> npt.NDArray[np.generic] | None:
        """A vector of numbers, as a view of the file's bytes."""
        item = np.dtype(dtype).newbyteorder("<")
        vector = self._vector(slot, item.itemsize)
        if vector is None:
            return None
        start, length = vector
        return np.frombuffer(self._source.data, item, length, start)

    def integers(self, slot: int, dtype: npt.DTypeLike = np.int32) -> tuple[int, ...] | None:
        """A short vector of integers."""
        values = self.values(slot, dtype)
        return None if values is None else tuple(int(value) for value in values.tolist())

    def tables(self, slot: int) -> Iterator[Table]:
        """The tables of a vector of tables, one at a time; nothing where the field is missing."""
        start, length = self._vector(slot, 4) or (0, 0)
        for position in range(start, start + 4 * length, 4):
            yield Table(self._source, self._source.offset(position))

    def length(self, slot: int) -> int:
        """How many items a vector of tables has; 0 where the field is missing."""
        return (self._vector(slot, 4) or (0, 0))[1]

    def string(self, slot: int) -> str:
        """A string, with bytes that are not UTF-8 replaced; empty where the field is missing."""
        start, length = self._vector(slot, 1) or (0, 0)
        return self._source.data[start : start + length].decode("utf-8", "replace")


def has_identifier(data: bytes, identifier: bytes) -> bool:
    """Whether it is a file of this format, by the four bytes that say so."""
    return data[4:8] == identifier


def root(data: bytes, identifier: bytes) -> Table:
    """The root table of a file that must carry the four-byte `identifier`.

    Raises BrokenBufferError."""
    if len(data) < 8:
        raise BrokenBufferError(f"{len(data):,} bytes are too few for a file of this format")
    if not has_identifier(data, identifier):
        raise BrokenBufferError(f"file identifier {data[4:8]!r}, expected {identifier!r}")
    source = Source(data)
    return Table(source, source.offset(0))
