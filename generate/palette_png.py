"""A picture of a screen as a small PNG of 256 colours.

Reads what Chromium writes: 8 bits a channel, red, green and blue, with or without alpha.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

Bytes = npt.NDArray[np.uint8]

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_CHANNELS = {2: 3, 6: 4}
"""By type of colour."""
_MOST = 256
_FREQUENT = 160
"""Of them: the most frequent ones; the others are as far from these as there are, so that no rare
colour of a legend is lost."""


def with_palette(png: bytes) -> bytes:
    """The same picture, its rarest colours replaced where there are more than 256."""
    pixels = _pixels(png)
    height, width, _ = pixels.shape
    colours, place, counts = np.unique(
        pixels.reshape(-1, 3), axis=0, return_inverse=True, return_counts=True
    )
    kept, nearest = _palette(colours, counts)
    rows = nearest[place.reshape(-1)].reshape(height, width)
    data = np.hstack([np.zeros((height, 1), np.uint8), rows])  # a filter of none before each row
    header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    packed = zlib.compress(data.tobytes(), 9)
    parts = ((b"IHDR", header), (b"PLTE", kept.tobytes()), (b"IDAT", packed), (b"IEND", b""))
    return _SIGNATURE + b"".join(map(chunk, parts))


def _palette(colours: Bytes, counts: npt.NDArray[np.int64]) -> tuple[Bytes, Bytes]:
    """The colours that are kept, and which of them each is replaced by."""
    order = list(np.argsort(-counts, kind="stable")[:_FREQUENT])
    away = np.stack([_distance(colours, colours[each]) for each in order], axis=1)
    while len(order) < _MOST and away.min(axis=1).any():
        order.append(away.min(axis=1).argmax())
        away = np.column_stack([away, _distance(colours, colours[order[-1]])])
    return colours[order], away.argmin(axis=1).astype(np.uint8)


def _distance(colours: Bytes, one: Bytes) -> npt.NDArray[np.int64]:
    difference = colours.astype(np.int64) - one
    return np.asarray((difference**2).sum(axis=1))


def chunk(named: tuple[bytes, bytes]) -> bytes:
    """A part of a PNG: its name and data, with their size and check sum."""
    name, data = named
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def chunks(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The names and data of all parts."""
    assert png.startswith(_SIGNATURE), "not a PNG"
    at = len(_SIGNATURE)
    while at < len(png):
        (size,) = struct.unpack_from(">I", png, at)
        yield png[at + 4 : at + 8], png[at + 8 : at + 8 + size]
        at += 12 + size


def _pixels(png: bytes) -> Bytes:
    """Red, green and blue, shape (height, width, 3)."""
    parts = list(chunks(png))
    width, height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", parts[0][1])
    assert (depth, interlaced) == (8, 0) and colour in _CHANNELS, "not a picture of a screen"
    step = _CHANNELS[colour]
    packed = b"".join(data for name, data in parts if name == b"IDAT")
    data = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(height, 1 + width * step)
    rows = np.zeros((height + 1, width + 1, step), np.uint8)  # with what is above and to the left
    for y, line in enumerate(data):
        _unfilter(int(line[0]), line[1:].reshape(width, step), rows[y], rows[y + 1])
    return rows[1:, 1:, :3]


def _unfilter(kind: int, line: Bytes, above: Bytes, row: Bytes) -> None:
    """Write a row, whose first pixel stays zero; PNG's five filters."""
    if kind in (0, 2):
        row[1:] = line + (above[1:] if kind == 2 else np.uint8(0))
        return
    if kind == 1:
        row[1:] = np.cumsum(line, axis=0, dtype=np.uint8)
        return
    for x in range(len(line)):
        left, up, corner = (each.astype(np.int16) for each in (row[x], above[x + 1], above[x]))
        guess = (left + up) // 2 if kind == 3 else _paeth(left, up, corner)
        row[x + 1] = line[x] + guess.astype(np.uint8)


def _paeth(
    left: npt.NDArray[np.int16], up: npt.NDArray[np.int16], corner: npt.NDArray[np.int16]
) -> npt.NDArray[np.int16]:
    """Of the three the one that is nearest to left + up - corner."""
    off_left, off_up = np.abs(up - corner), np.abs(left - corner)
    off_corner = np.abs(left + up - 2 * corner)
    is_left = (off_left <= off_up) & (off_left <= off_corner)
    return np.where(is_left, left, np.where(off_up <= off_corner, up, corner))
