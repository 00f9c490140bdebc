"""Turns what a demo feeds to a model into int8 input: real numbers, and grey bitmaps.

Sound is not read here: its features need a signal-processing library, which is no dependency.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tinyml_rules.errors import UsageError
from tinyml_rules.ir.interface import Port

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

BITMAP_SUFFIX = ".bmp"
# BITMAPFILEHEADER: where the pixels start
_FILE_HEADER = struct.Struct("<10xI")
# BITMAPINFOHEADER: its own size, width, height, bits a pixel, compression, palette entries
_INFO_HEADER = struct.Struct("<Iii2xHI12xI4x")
_PALETTE_ENTRY_BYTES = 4  # blue, green, red, unused


def real_inputs(values: Sequence[float], port: Port) -> npt.NDArray[np.int8]:
    """Each value as a sample of its own, quantized: shape (len(values), *port.shape).

    Raises UsageError unless the port takes one value.
    """
    import numpy as np  # noqa: PLC0415 - listing the models must not need numpy

    from tinyml_rules.arithmetic.fixed_point import quantize_real  # noqa: PLC0415

    if port.count != 1:
        what = f"takes {port.count} values, expected 1 to feed it single real numbers"
        raise UsageError.at(f"input '{port.tensor}'", what)
    real = np.array(values, np.float32).reshape(len(values), *port.shape)
    return quantize_real(real, scale=port.scale, zero_point=port.zero_point)


def sample_input(path: Path, port: Port) -> npt.NDArray[np.int8]:
    """The sample in the file at `path` as one input, of shape port.shape.

    Raises UsageError for a kind of file that is not read here or does not fit the port.
    """
    if path.suffix.lower() != BITMAP_SUFFIX:
        what = f"a '{path.suffix}' file, expected {BITMAP_SUFFIX}"
        hint = "compute the input's values yourself and pass them as .npy"
        raise UsageError.at(str(path), what, hint=hint)
    import numpy as np  # noqa: PLC0415 - listing the models must not need numpy

    pixels = read_grey_bitmap(path.read_bytes(), where=str(path))
    if pixels.size != port.count:
        height, width = pixels.shape
        what = f"has {height}x{width} pixels, expected {port.count} in all"
        raise UsageError.at(str(path), what)
    # The bytes are int8 already, kept as they are: TFLM's person_detection_test.cc copies these
    # images into the input by memcpy.  (They look inside out in a viewer: -1 is its white.)
    return pixels.view(np.int8).reshape(port.shape)


def read_grey_bitmap(data: bytes, *, where: str) -> npt.NDArray[np.uint8]:
    """The pixels of a .bmp file, shape (height, width), top row first.

    Reads uncompressed files with 8 bits a pixel and a palette of greys; raises UsageError for
    anything else.
    """
    import numpy as np  # noqa: PLC0415 - listing the models must not need numpy

    header = _read_header(data, where=where)
    row_bytes = (header.width + 3) // 4 * 4  # rows are padded to four bytes
    count = row_bytes * abs(header.height)
    if header.palette_end > header.start or header.start + count > len(data):
        raise UsageError.at(where, f"is cut off: {len(data)} bytes are too few for its size")
    entries = data[header.palette_start : header.palette_end]
    palette = np.frombuffer(entries, np.uint8).reshape(-1, _PALETTE_ENTRY_BYTES)
    rows = np.frombuffer(data, np.uint8, count, header.start).reshape(-1, row_bytes)
    rows = rows[:, : header.width]
    if (palette[:, :1] != palette[:, :3]).any() or int(rows.max()) >= len(palette):
        raise UsageError.at(where, "has pixels in colour, expected a palette of greys")
    grey: npt.NDArray[np.uint8] = palette[:, 0][rows]
    return grey[::-1] if header.height > 0 else grey  # positive: the bottom row comes first


@dataclass(frozen=True)
class _BitmapHeader:
    """Where a bitmap's parts lie, in bytes from its start; `height` has the file's sign."""

    width: int
    height: int
    start: int
    palette_start: int
    palette_end: int


def _read_header(data: bytes, *, where: str) -> _BitmapHeader:
    if len(data) < _FILE_HEADER.size + _INFO_HEADER.size or data[:2] != b"BM":
        raise UsageError.at(where, "is no bitmap, expected a file that starts with 'BM'")
    (start,) = _FILE_HEADER.unpack_from(data)
    info = _INFO_HEADER.unpack_from(data, _FILE_HEADER.size)
    info_bytes, width, height, depth, compression, colours = info
    if (depth, compression) != (8, 0) or width <= 0 or height == 0:
        found = f"{width}x{height}, {depth} bits a pixel, compression {compression}"
        raise UsageError.at(where, f"is {found}, expected 8 bits a pixel and no compression")
    palette_start = _FILE_HEADER.size + info_bytes
    palette_end = palette_start + (colours or 256) * _PALETTE_ENTRY_BYTES
    return _BitmapHeader(width, height, start, palette_start, palette_end)
