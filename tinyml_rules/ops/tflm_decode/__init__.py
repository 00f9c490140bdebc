"""TFLM_DECODE: constants that a file has in less room, as whole tensors: looked up in a table of
values, in Huffman codes, or with a bit for each value that is not the zero point.

The first 16 bytes of the second operand say how; the compiler decodes all, so that a kernel reads
plain values.  Bits are counted from the highest of the first byte.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView, Tensor
from tinyml_rules.ops._shared.operands import numbers, plain
from tinyml_rules.ops._shared.operator import Meaning, Op

TABLE, HUFFMAN, PRUNED = 0, 1, 2
KINDS = {TABLE: "a table of values", HUFFMAN: "Huffman codes", PRUNED: "bits of zero points"}
HEADER, VERSION = 16, 1
TYPES = (DType.INT8, DType.INT16, DType.INT32, DType.INT64, DType.BOOL, DType.FLOAT32)
OF_HUFFMAN = (DType.INT8, DType.INT16)
_AHEAD = 32
"""Bits after the last that a table may be asked for."""
OPERANDS = {"codes and tables": numbers(DType.UINT8), "output": plain(*TYPES)}
Bits = npt.NDArray[np.uint8]


class BrokenCodesError(Exception):
    """The constants do not decode to the output; the text says why."""


@dataclass(frozen=True, eq=False)
class Packed:
    """One of a node's constants; `header` and `tables` are the second operand's."""

    codes: Bits
    header: Bits
    tables: Bits
    output: Tensor

    @property
    def values(self) -> npt.NDArray[Any]:
        """The tables as numbers of the output's type."""
        dtype = self.output.dtype.numpy
        assert dtype is not None
        whole = len(self.tables) // dtype.itemsize * dtype.itemsize
        return self.tables[:whole].view(dtype.newbyteorder("<"))

    @property
    def channels(self) -> npt.NDArray[np.int64]:
        """The channel of each value: along the last dimension or the first; one without scales."""
        count, quantization = self.output.count, self.output.quantization
        places = np.arange(count)
        if quantization is None or not quantization.is_per_axis:
            return np.zeros(count, np.int64)
        channels = len(quantization.scales)
        if quantization.axis == len(self.output.shape) - 1:
            return places % channels
        if quantization.axis:
            raise BrokenCodesError(f"scales along axis {quantization.axis}, expected first or last")
        return places // (count // channels)


def decoded(packed: Packed) -> Array:
    """The values in the output's shape.  Raises BrokenCodesError."""
    header = packed.header
    if len(header) < HEADER:
        raise BrokenCodesError(f"a header of {len(header)} bytes, expected {HEADER}")
    kind = int(header[0])
    if kind not in KINDS:
        raise BrokenCodesError(f"code {kind}, expected one of 0, 1, 2")
    for version in (int(header[1]), int(header[4])):
        if version != VERSION:
            raise BrokenCodesError(f"version {version} of {KINDS[kind]}, expected {VERSION}")
    decode = {TABLE: _looked_up, HUFFMAN: _of_huffman, PRUNED: _with_zero_points}[kind]
    dtype = packed.output.dtype.numpy
    return np.asarray(decode(packed)).astype(dtype).reshape(packed.output.shape)


def _bits_of(packed: Packed, needed: int) -> Bits:
    if needed > 8 * len(packed.codes):
        raise BrokenCodesError(f"{len(packed.codes)} bytes of codes, expected {-(-needed // 8)}")
    return np.unpackbits(packed.codes)[:needed]


def _looked_up(packed: Packed) -> npt.NDArray[Any]:
    """Each value from its channel's part of the table."""
    width, stride = int(packed.header[5]) & 7, int(packed.header[6])
    if not width:
        raise BrokenCodesError("codes of 0 bits")
    bits = _bits_of(packed, packed.output.count * width).reshape(-1, width)
    places = bits.astype(np.int64) @ (1 << np.arange(width)[::-1]) + packed.channels * stride
    values = packed.values
    if len(places) and int(places.max()) >= len(values):
        raise BrokenCodesError(f"place {places.max()} of a table of {len(values)} values")
    return values[places]


def _with_zero_points(packed: Packed) -> npt.NDArray[Any]:
    """The zero point of its channel for each value whose bit is 0, the next of the table else."""
    quantization, is_int8 = packed.output.quantization, packed.output.dtype is DType.INT8
    zero_points = np.array(quantization.zero_points if quantization else (0,))
    if not is_int8 and zero_points.any():
        raise BrokenCodesError(f"a zero point of {packed.output.dtype}, expected 0")
    given = _bits_of(packed, packed.output.count).astype(bool)
    values = packed.values
    if given.sum() > len(values):
        raise BrokenCodesError(f"a table of {len(values)} values, expected {given.sum()}")
    found = zero_points[packed.channels].astype(values.dtype)
    found[given] = values[: given.sum()]
    return found


def _of_huffman(packed: Packed) -> npt.NDArray[Any]:
    """Symbols of int8 or int16."""
    dtype, is_wide = packed.output.dtype, bool(packed.header[5] & 1)
    if dtype not in OF_HUFFMAN:
        raise BrokenCodesError(f"Huffman codes of {dtype}, expected int8 or int16")
    if not is_wide and dtype is not DType.INT8:
        raise BrokenCodesError("Huffman tables of 16 bits, expected 32 for int16")
    size, shift = (4, 27) if is_wide else (2, 11)
    whole = len(packed.tables) // size * size
    entries = packed.tables[:whole].view(f"<u{size}").tolist()
    reader = _Reader(packed.codes, entries, shift)
    first = (int(packed.header[5]) >> 4) + 1
    symbols = [reader.symbol(first) for _ in range(packed.output.count)]
    wide = np.array(symbols, np.int64)
    if dtype is DType.INT16:
        return wide.astype(np.uint16).view(np.int16)
    return wide.astype(np.uint8).view(np.int8)


class _Reader:
    """Huffman codes by tables.  An entry is a symbol, with how many of the bits last read belong to
    it; or how many bits to read next, less one, and how far on the table for them is."""

    def __init__(self, codes: Bits, entries: Sequence[int], shift: int) -> None:
        self._bits = int.from_bytes(codes.tobytes(), "big") << _AHEAD
        self._end = 8 * len(codes)
        self._position = 0
        self._entries = entries
        self._shift = shift

    def symbol(self, first: int) -> int:
        """The next one, whose first table is for so many bits."""
        used, mask = first, (1 << self._shift) - 1
        place = self._read(used)
        while not (entry := self._entry(place)) >> (self._shift + 4):
            used = self._count(entry) + 1
            place += (entry & mask) + self._read(used)
        self._position -= max(used - self._count(entry), 0)
        if self._position > self._end:
            raise BrokenCodesError("Huffman codes that end before the last value")
        return entry & mask

    def _read(self, count: int) -> int:
        self._position += count
        if self._position > self._end + _AHEAD:
            raise BrokenCodesError("Huffman codes that end before the last value")
        return self._bits >> (self._end + _AHEAD - self._position) & ((1 << count) - 1)

    def _entry(self, place: int) -> int:
        if place >= len(self._entries):
            raise BrokenCodesError(f"entry {place} of {len(self._entries)} in Huffman tables")
        return self._entries[place]

    def _count(self, entry: int) -> int:
        return (entry >> self._shift) & 15


def _packed(view: NodeView, values: Mapping[int, Array]) -> Iterator[Packed]:
    """Of each output the codes, and the header with its tables."""
    operands = view.each("codes and tables")
    for place, output in enumerate(view.outputs):
        codes, tables = (
            values[each.index].reshape(-1).view(np.uint8)
            for each in operands[2 * place : 2 * place + 2]
        )
        yield Packed(codes, tables[:HEADER], tables[HEADER:], output)


def check(view: NodeView) -> Iterator[str]:
    """A pair of constants for each output, and values in them."""
    operands = view.each("codes and tables")
    if len(operands) != 2 * len(view.outputs):
        yield f"{len(operands)} inputs for {len(view.outputs)} outputs, expected two for each"
        return
    constants = {each.index: each.data for each in operands if each.data is not None}
    for packed in _packed(view, constants):
        try:
            decoded(packed)
        except BrokenCodesError as error:
            yield f"output tensor {packed.output} cannot be decoded: {error}"


def oracle(view: NodeView, values: Mapping[int, Array]) -> tuple[Array, ...]:
    """The outputs, shaped like the output tensors."""
    return tuple(map(decoded, _packed(view, values)))


OP = Op(
    name="tflm_decode",
    custom_name="TFLM_DECODE",
    inputs=("codes and tables+",),
    outputs=("output+",),
    summary="tables of values, Huffman codes, bits of zero points; constants",
    meanings=(Meaning(operands=OPERANDS, check=check, oracle=oracle),),
)
