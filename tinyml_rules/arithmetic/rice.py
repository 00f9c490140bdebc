"""int8 weights in Rice codes, a parameter k a row, laid out so that one pointer reads them.

A weight w is z = 2 w, or -2 w - 1 where it is negative: z >> k zeros, then a one, and k low bits.
Weights are taken by eights.  The zeros and ones of all are one row of bits, the high bit of a byte
first; of the low bits, four are in a byte for every two weights, the first in its low half, and
each other in a byte for the eight, the first in its lowest bit.  A byte is where a decoder
fetches it: the latter before the eight, a byte of two before these two, a byte of zeros and ones
where the one before is used up.  The weights of a row after the last eight have their low bits
after their one, the high one first.

Where the input comes in pieces, so do the weights: those of a piece for every row, then the next.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

AnyArray = npt.NDArray[Any]
Bytes = npt.NDArray[np.uint8]

GROUP = 8
PAIRED_BITS = 4
MOST_LOW_BITS = 7
FIRST_STATE = 0x80
"""Of the bits that are left, above the lowest one that is set: none."""


def parameters_of(matrix: AnyArray) -> Bytes:
    """The k of each row [numbers] with which it is shortest."""
    lengths = [_lengths(matrix, k).sum(axis=1) for k in range(MOST_LOW_BITS + 1)]
    return np.asarray(np.argmin(lengths, axis=0), np.uint8)


def size_of(matrix: AnyArray, parameters: AnyArray) -> int:
    """Bytes of the codes."""
    return -(-int(_lengths(matrix, parameters[:, None]).sum()) // 8)


def _lengths(matrix: AnyArray, k: int | AnyArray) -> AnyArray:
    return (_zigzag(matrix) >> k) + 1 + k


def _zigzag(matrix: AnyArray) -> AnyArray:
    wide = matrix.astype(np.int64)
    return np.where(wide < 0, -2 * wide - 1, 2 * wide)


def in_rice(matrix: AnyArray, parameters: AnyArray, piece: int) -> Bytes:
    """The codes of an int8 matrix [rows][numbers], whose input comes `piece` numbers at a time."""
    z, k, place, is_left = _in_order(matrix, parameters, piece)
    low = z & ((1 << k) - 1)
    of_low_bits = (*_planes(low, k, place, is_left), _pairs(low, k, place, is_left))
    parts = zip(_bits(z, k, is_left), *of_low_bits, strict=True)
    keys, values = (np.concatenate(each) for each in parts)
    return np.asarray(values[np.argsort(keys, kind="stable")], np.uint8)


def _in_order(matrix: AnyArray, parameters: AnyArray, piece: int) -> tuple[AnyArray, ...]:
    """(z, k, place in its piece, whether it is beyond the eights) of each weight."""
    columns: list[tuple[AnyArray, ...]] = []
    for first in range(0, matrix.shape[1], piece):
        z = _zigzag(matrix[:, first : first + piece])
        place = np.broadcast_to(np.arange(z.shape[1]), z.shape)
        is_left = place >= z.shape[1] // GROUP * GROUP
        k = np.broadcast_to(parameters[:, None].astype(np.int64), z.shape)
        columns.append(tuple(each.reshape(-1) for each in (z, k, place, is_left)))
    return tuple(np.concatenate(each) for each in zip(*columns, strict=True))


_KEYS = 16
"""Of each weight: a byte for eight has the number of its bit, then come one for two and others."""
_PAIR, _BITS = 8, 9


def _bits(z: AnyArray, k: AnyArray, is_left: AnyArray) -> tuple[AnyArray, AnyArray]:
    """(key, value) of the bytes of zeros and ones, each at the weight that has its first bit."""
    zeros = z >> k
    ends = np.cumsum(zeros + 1 + np.where(is_left, k, 0))
    starts = np.concatenate([[0], ends[:-1]])
    bits = np.zeros(ends[-1], np.uint8)
    bits[starts + zeros] = 1
    for number in range(MOST_LOW_BITS):
        has = is_left & (k > number)
        at = (starts + zeros + 1 + number)[has]
        bits[at] = z[has] >> (k[has] - 1 - number) & 1
    values = np.packbits(bits)
    weights = np.searchsorted(ends, 8 * np.arange(len(values)), side="right")
    return _KEYS * weights + _BITS, values


def _planes(
    low: AnyArray, k: AnyArray, place: AnyArray, is_left: AnyArray
) -> Iterator[tuple[AnyArray, AnyArray]]:
    """The same of the bytes that have one bit of each of eight."""
    first = np.flatnonzero(~is_left & (place % GROUP == 0))
    for number in range(MOST_LOW_BITS - PAIRED_BITS):
        is_paired = k[first] >= PAIRED_BITS
        shift = number + np.where(is_paired, PAIRED_BITS, 0)
        at, shift = first[shift < k[first]], shift[shift < k[first]]
        bits = low[at[:, None] + np.arange(GROUP)] >> shift[:, None] & 1
        yield _KEYS * at + number, (bits << np.arange(GROUP)).sum(axis=1)


def _pairs(
    low: AnyArray, k: AnyArray, place: AnyArray, is_left: AnyArray
) -> tuple[AnyArray, AnyArray]:
    """The same of the bytes that have four bits of each of two."""
    at = np.flatnonzero(~is_left & (place % 2 == 0) & (k >= PAIRED_BITS))
    return _KEYS * at + _PAIR, low[at] & 15 | (low[at + 1] & 15) << PAIRED_BITS


def from_rice(data: AnyArray, parameters: AnyArray, count: int, piece: int) -> npt.NDArray[np.int8]:
    """The matrix [rows][count] again, byte after byte as a decoder reads it."""
    reader = _Reader(data)
    matrix = np.zeros((len(parameters), count), np.int8)
    for first in range(0, count, piece):
        size = min(piece, count - first)
        for row, k in enumerate(parameters.tolist()):
            numbers = list(reader.numbers(k, size))
            matrix[row, first : first + size] = [z >> 1 ^ -(z & 1) for z in numbers]
    return matrix


class _Reader:
    """The decoder: `bits` are those left of a byte, above the lowest one that is set."""

    def __init__(self, data: AnyArray) -> None:
        self._bytes = iter(data.tolist())
        self._bits = FIRST_STATE

    def numbers(self, k: int, count: int) -> Iterator[int]:
        """A row's part of a piece."""
        shift = PAIRED_BITS if k >= PAIRED_BITS else 0
        for _ in range(count // GROUP):
            planes = [next(self._bytes) for _ in range(k - shift)]
            pair = 0
            for number in range(GROUP):
                if shift:
                    pair = pair >> PAIRED_BITS if number % 2 else next(self._bytes)
                low = pair & 15
                for bit, plane in enumerate(planes, start=shift):
                    low |= (plane >> number & 1) << bit
                yield (self._zeros() << k) + low
        for _ in range(count % GROUP):
            z = self._zeros()
            for _ in range(k):
                z = 2 * z + self._bit()
            yield z

    def _zeros(self) -> int:
        count = 0
        while not self._bit():
            count += 1
        return count

    def _bit(self) -> int:
        bits = 2 * self._bits
        if bits & 0xFF == 0:
            bits = 2 * next(self._bytes) + 1
        self._bits = bits & 0xFF
        return bits >> 8
