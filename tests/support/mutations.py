"""Breaks model files in ways that a checked reader must survive; the same way for the same seed."""

from __future__ import annotations

import struct

import numpy as np

from tests.support.stages import read

WORDS = (0, 1, 2, 3, 4, 7, 8, 127, 128, 255, 2**15, 2**16, 2**30, 2**31 - 1, 2**31, 2**32 - 1)
"""32-bit words that are likely to be wrong as an offset, a length, a size, an index or a type."""
FLOATS = tuple(
    int(struct.unpack("<I", struct.pack("<f", value))[0])
    for value in (1e-45, 1e-30, 3e38, -1.0, float("inf"), float("nan"))
)
"""The same for scales."""
STRUCTURE_SHARE = 0.9
_LIKELY = np.array((*WORDS, *FLOATS))
_COUNTS = np.array([1, 1, 1, 2, 3])


class Mutator:
    """Mutated copies of one file, most of them in its structure and not among its weights."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        words = set(range(0, len(data) - 3, 4))
        for tensor in read(data, name="original").tensors:
            if tensor.data is not None:
                start = data.index(tensor.data.tobytes())
                words.difference_update(range(start, start + tensor.data.nbytes))
        self._structure = np.array(sorted(words))

    def mutate(self, seed: int) -> bytes:
        """The copy with this number: one to three changes, mostly one."""
        generator = np.random.default_rng(seed)
        changed = bytearray(self._data)
        for _ in range(int(generator.choice(_COUNTS))):
            kind = int(generator.integers(0, 8))
            _change(changed, kind, self._positions(generator), generator)
        return bytes(changed)

    def _positions(self, generator: np.random.Generator) -> tuple[int, int]:
        return self._position(generator), self._position(generator)

    def _position(self, generator: np.random.Generator) -> int:
        """The start of an aligned word."""
        if generator.random() < STRUCTURE_SHARE:
            position = int(generator.choice(self._structure))
        else:
            position = 4 * int(generator.integers(0, len(self._data) // 4))
        return max(0, min(position, len(self._data) - 4))


def changed_anywhere(data: bytes, seed: int) -> bytes:
    """Any bytes with one change, as broken as they may be already."""
    changed, generator = bytearray(data), np.random.default_rng(seed)
    if len(data) >= 4:
        first, second = (4 * int(word) for word in generator.integers(0, len(data) // 4, 2))
        _change(changed, int(generator.integers(0, 8)), (first, second), generator)
    return bytes(changed)


def _change(
    data: bytearray, kind: int, positions: tuple[int, int], generator: np.random.Generator
) -> None:
    first, second = positions
    if max(first, second) + 4 > len(data):  # an earlier change has cut the file
        return
    if kind == 0:  # flip bits of a byte
        data[first + int(generator.integers(0, 4))] ^= int(generator.integers(1, 256))
    elif kind == 1:  # cut the end off
        if generator.random() < 0.3:
            del data[int(generator.integers(0, len(data))) :]
    elif kind == 2:  # a likely wrong word
        word = int(generator.choice(_LIKELY))
        struct.pack_into("<I", data, first, word)
    elif kind == 3:  # any word
        struct.pack_into("<I", data, first, int(generator.integers(0, 2**32)))
    elif kind == 4:  # swap two ranges
        size = min(int(generator.integers(4, 65)), len(data) - max(first, second))
        data[first : first + size], data[second : second + size] = (
            data[second : second + size],
            data[first : first + size],
        )
    elif kind == 5:  # the same number twice
        data[first : first + 4] = data[second : second + 4]
    elif kind == 6:  # two offsets to the same place
        (offset,) = struct.unpack_from("<I", data, second)
        struct.pack_into("<I", data, first, (second + offset - first) % 2**32)
    else:  # a small change of a number, such as an index, a shape or a type
        byte = first + int(generator.integers(0, 4))
        data[byte] = (data[byte] + int(generator.integers(-3, 4))) % 256
