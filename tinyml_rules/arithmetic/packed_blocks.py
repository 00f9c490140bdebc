"""int8 weights in blocks of 32 numbers of one row, each with the width that its extremes need.

A block of width b, two's complement bits of its extremes and 0 where all numbers are 0, takes b
words.  Its numbers plus 2^(b-1) are split into planes of 4, 2 and 1 bits, the low bits first; a
word of a plane has a byte for each of four neighbours, so that four come out of it at once.  A
block of width 8 is its numbers as they are.  Blocks of four rows are interleaved, place after
place, and one number holds their four widths, that of the first row in the low bits.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

BLOCK = 32
"""Numbers of a block: eight groups of four."""
ROWS = 4
"""Rows whose blocks are interleaved."""
MOST_BITS = 8

AnyArray = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class Blocks:
    """The words of all blocks, and a number of four widths for each place of four rows."""

    words: npt.NDArray[np.uint32]
    widths: npt.NDArray[np.uint16]

    @property
    def size_bytes(self) -> int:
        """Bytes of flash."""
        return self.words.nbytes + self.widths.nbytes


def planes_of(width: int) -> Iterator[tuple[int, int, int]]:
    """(bits, place of the lowest in a number, first word) of each plane of a block."""
    place = 0
    for bits in (4, 2, 1):
        if width < MOST_BITS and width & bits:
            yield bits, place, place
            place += bits


def in_blocks(matrix: AnyArray) -> Blocks:
    """The blocks of an int8 matrix [rows][numbers]; what a row lacks of its last block is 0."""
    rows, count = matrix.shape
    padded = np.pad(matrix, ((0, -rows % ROWS), (0, -count % BLOCK)))
    blocks = _in_order(padded)
    extremes = np.where(blocks < 0, ~blocks, blocks).max(axis=1).astype(np.int64)
    widths = np.where(blocks.any(axis=1), 1 + np.ceil(np.log2(extremes + 1)).astype(np.int64), 0)
    ends = np.cumsum(widths)
    words = np.zeros(int(ends[-1]), np.uint32)
    for width in range(1, MOST_BITS + 1):
        places = (ends - width)[widths == width]
        words[places[:, None] + np.arange(width)] = _packed(blocks[widths == width], width)
    shifts = MOST_BITS // 2 * np.arange(ROWS)
    return Blocks(words, (widths.reshape(-1, ROWS) << shifts).sum(axis=1).astype(np.uint16))


def from_blocks(packed: Blocks, rows: int, count: int) -> npt.NDArray[np.int8]:
    """The matrix again."""
    shifts = MOST_BITS // 2 * np.arange(ROWS)
    widths = (packed.widths[:, None].astype(np.int64) >> shifts & 15).reshape(-1)
    ends = np.cumsum(widths)
    blocks = np.zeros((len(widths), BLOCK), np.int8)
    for width in range(1, MOST_BITS + 1):
        places = (ends - width)[widths == width]
        blocks[widths == width] = _unpacked(packed.words[places[:, None] + np.arange(width)], width)
    in_groups = blocks.reshape(-(-rows // ROWS), -(-count // BLOCK), ROWS, BLOCK)
    padded = in_groups.transpose(0, 2, 1, 3).reshape(-(-rows // ROWS) * ROWS, -1)
    return padded[:rows, :count]


def _in_order(padded: AnyArray) -> AnyArray:
    """[blocks][BLOCK] in the order in which they are stored."""
    rows, count = padded.shape
    in_groups = padded.reshape(rows // ROWS, ROWS, count // BLOCK, BLOCK)
    return in_groups.transpose(0, 2, 1, 3).reshape(-1, BLOCK)


def _packed(blocks: AnyArray, width: int) -> AnyArray:
    """The words of blocks [blocks][BLOCK] that all have this width."""
    if width == MOST_BITS:
        return np.ascontiguousarray(blocks).view("<u4")
    numbers = (blocks.astype(np.int16) + (1 << (width - 1))).astype(np.uint8)
    planes = []
    for bits, place, _ in planes_of(width):
        parts = (numbers >> place & ((1 << bits) - 1)).reshape(-1, bits, MOST_BITS // bits, 4)
        shifts = bits * np.arange(MOST_BITS // bits)[:, None]
        lanes = (parts.astype(np.uint16) << shifts).sum(axis=2).astype(np.uint8)
        planes.append(np.ascontiguousarray(lanes).view("<u4").reshape(-1, bits))
    return np.concatenate(planes, axis=1)


def _unpacked(words: AnyArray, width: int) -> AnyArray:
    """The opposite of `_packed`."""
    if width == MOST_BITS:
        return np.ascontiguousarray(words).astype("<u4").view(np.int8)
    numbers = np.zeros((len(words), BLOCK // 4, 4), np.int16)
    for bits, place, first in planes_of(width):
        lanes = np.ascontiguousarray(words[:, first : first + bits]).astype("<u4").view(np.uint8)
        shifts = bits * np.arange(MOST_BITS // bits)[:, None]
        parts = lanes.reshape(-1, bits, 1, 4).astype(np.int16) >> shifts & ((1 << bits) - 1)
        numbers |= parts.reshape(-1, BLOCK // 4, 4) << place
    return (numbers.reshape(-1, BLOCK) - (1 << (width - 1))).astype(np.int8)
