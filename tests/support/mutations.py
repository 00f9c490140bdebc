"""Breaks model files in ways that a checked reader must survive; the same way for the same seed."""

from __future__ import annotations

import struct
from random import Random

from tests.support.stages import read

WORDS = (0, 1, 2, 3, 4, 7, 8, 127, 128, 255, 2**15, 2**16, 2**30, 2**31 - 1, 2**31, 2**32 - 1)
"""32-bit words that are likely to be wrong as an offset, a length, a size, an index or a type."""
FLOATS = tuple(
    int(struct.unpack("<I", struct.pack("<f", value))[0])
    for value in (1e-45, 1e-30, 3e38, -1.0, float("inf"), float("nan"))
)
"""The same for scales."""
STRUCTURE_SHARE = 0.97
"""Of the changes; the others are anywhere, thus mostly among weights, where one finds little."""
_LIKELY = (*WORDS, *FLOATS)
_COUNTS = (1, 1, 1, 2, 3)


class Mutator:
    """Mutated copies of one file, most of them in its structure: neither among its weights nor in
    the names of its tensors."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        words = set(range(0, len(data) - 3, 4))
        for tensor in read(data, name="original").tensors:
            values = b"" if tensor.data is None else tensor.data.tobytes()
            for part in (values, tensor.name.encode()):
                start = data.find(part)
                words.difference_update(range(start, start + len(part)))
        self._structure = sorted(words)

    def mutate(self, seed: int) -> bytes:
        """The copy with this number: one to three changes, mostly one."""
        random = _random(seed)
        changed = bytearray(self._data)
        for _ in range(random.choice(_COUNTS)):
            kind = random.randrange(8)
            _change(changed, kind, (self._position(random), self._position(random)), random)
        return bytes(changed)

    def _position(self, random: Random) -> int:
        """The start of an aligned word."""
        if random.random() < STRUCTURE_SHARE:
            return random.choice(self._structure)
        return 4 * random.randrange(len(self._data) // 4)


def changed_anywhere(data: bytes, seed: int) -> bytes:
    """Any bytes with one change, as broken as they may be already."""
    changed, random = bytearray(data), _random(seed)
    if len(data) >= 4:
        first, second = (4 * random.randrange(len(data) // 4) for _ in range(2))
        _change(changed, random.randrange(8), (first, second), random)
    return bytes(changed)


def _random(seed: int) -> Random:
    return Random(seed)  # noqa: S311 - nothing is kept secret with it


def _change(data: bytearray, kind: int, positions: tuple[int, int], random: Random) -> None:
    first, second = positions
    if max(first, second) + 4 > len(data):  # an earlier change has cut the file
        return
    if kind == 0:  # flip bits of a byte
        data[first + random.randrange(4)] ^= random.randrange(1, 256)
    elif kind == 1:  # cut the end off
        if random.random() < 0.3:
            del data[random.randrange(len(data)) :]
    elif kind == 2:  # a likely wrong word
        struct.pack_into("<I", data, first, random.choice(_LIKELY))
    elif kind == 3:  # any word
        struct.pack_into("<I", data, first, random.randrange(2**32))
    elif kind == 4:  # swap two ranges
        size = min(random.randrange(4, 65), len(data) - max(first, second))
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
        byte = first + random.randrange(4)
        data[byte] = (data[byte] + random.randrange(-3, 4)) % 256
