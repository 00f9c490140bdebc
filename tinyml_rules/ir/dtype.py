"""Element types in the file, in numpy and in C: one table."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np


class DType(StrEnum):
    """Element types that a tensor of the file may have, in the schema's order; some are only ever
    named in an error."""

    FLOAT32 = "float32"
    FLOAT16 = "float16"
    INT32 = "int32"
    UINT8 = "uint8"
    INT64 = "int64"
    STRING = "string"
    BOOL = "bool"
    INT16 = "int16"
    COMPLEX64 = "complex64"
    INT8 = "int8"
    FLOAT64 = "float64"
    COMPLEX128 = "complex128"
    UINT64 = "uint64"
    RESOURCE = "resource"
    VARIANT = "variant"
    UINT32 = "uint32"
    UINT16 = "uint16"
    INT4 = "int4"
    BFLOAT16 = "bfloat16"
    INT2 = "int2"
    UINT4 = "uint4"

    @property
    def bits(self) -> int:
        """Bits of one element in a file; 32 for types that are not numbers."""
        return _ELEMENTS[self].bits

    @property
    def numpy(self) -> np.dtype[np.generic] | None:
        """The numpy type of a constant; None if its values cannot be read."""
        name = _ELEMENTS[self].numpy
        return np.dtype(name) if name else None

    @property
    def c_type(self) -> str:
        """The C type of an element; empty for a type that no tensor in memory has."""
        return _ELEMENTS[self].c_type

    @property
    def size_bytes(self) -> int:
        """Bytes of one element in memory."""
        return max(self.bits // 8, 1)

    @property
    def limits(self) -> tuple[int, int]:
        """The least and the greatest value of an integer type."""
        info = np.iinfo(str(self))
        return int(info.min), int(info.max)

    @property
    def is_real(self) -> bool:
        """Floating-point numbers."""
        return self in (DType.FLOAT16, DType.FLOAT32, DType.FLOAT64, DType.BFLOAT16)


@dataclass(frozen=True)
class _Element:
    bits: int = 32
    numpy: str = ""
    c_type: str = ""


_ELEMENTS = {dtype: _Element() for dtype in DType} | {
    DType.INT8: _Element(8, "int8", "int8_t"),
    DType.UINT8: _Element(8, "uint8", "uint8_t"),
    DType.BOOL: _Element(8, "bool", "bool"),
    DType.INT16: _Element(16, "int16", "int16_t"),
    DType.UINT16: _Element(16, "uint16", "uint16_t"),
    DType.INT32: _Element(32, "int32", "int32_t"),
    DType.UINT32: _Element(32, "uint32", "uint32_t"),
    DType.INT64: _Element(64, "int64", "int64_t"),
    DType.UINT64: _Element(64, "uint64", "uint64_t"),
    DType.FLOAT32: _Element(32, "float32", "float"),
    DType.FLOAT16: _Element(16, "float16"),
    DType.BFLOAT16: _Element(16),
    DType.FLOAT64: _Element(64, "float64"),
    DType.COMPLEX64: _Element(64),
    DType.COMPLEX128: _Element(128),
    DType.INT4: _Element(4, "int8"),  # unpacked by the reader
    DType.UINT4: _Element(4),
    DType.INT2: _Element(2),
}


def file_bytes(dtype: DType, count: int) -> int:
    """Bytes of `count` elements in a file, where small ones share bytes."""
    return -(-count * dtype.bits // 8)
