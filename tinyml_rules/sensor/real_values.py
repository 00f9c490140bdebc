"""Recorded raw values as the real numbers that they mean, to train or to calibrate with."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from tinyml_rules.errors import UsageError
from tinyml_rules.sensor.affine import real_in_float32
from tinyml_rules.sensor.packing import PIXEL_BYTES, Unit, colours
from tinyml_rules.sensor.raw_input import RawInput
from tinyml_rules.sensor.raw_keys import Reference


def real_values(
    described: RawInput, raw: npt.NDArray[np.integer], *, where: str = "raw values"
) -> npt.NDArray[np.float32]:
    """((raw * scale + offset) - mean) / std as float32, of the shape of `raw`.

    `raw`: whole numbers as the sensor gives them, [samples, ...] in the order of the tensor's
    values, the channels innermost; of pixels their bytes, [samples, ..., 2], which become
    [samples, ..., channels].  For the reference "exact" each is the float32 nearest to the
    real number, but for the last bit.  Raises UsageError, at `where`, for values that are not whole
    or out of range, and for channels that they are not of.
    """
    if described.packing.is_pixels:
        raw = _of_pixels(described, raw, where)
    return real_of_words(described, raw, where=where)


def _of_pixels(
    described: RawInput, frames: npt.NDArray[np.integer], where: str
) -> npt.NDArray[np.int64]:
    """The colours of pixels from their bytes."""
    assert described.channels is not None
    unit = Unit(described.packing, described.endianness, described.levels, described.channels)
    _check_whole(described, frames, where)
    is_in_pixels = frames.ndim > 1 and frames.shape[-1] == PIXEL_BYTES
    if not is_in_pixels or math.prod(frames.shape[1:]) % unit.bytes:
        pixels = "" if unit.pixels == 1 else f", of {unit.pixels} pixels at a time"
        what = f"found shape {list(frames.shape)}, expected bytes of pixels{pixels}"
        raise UsageError.at(where, f"{what}: [samples, ..., {PIXEL_BYTES}]")
    return colours(unit, frames.astype(np.int64))


def _check_whole(described: RawInput, raw: npt.NDArray[np.integer], where: str) -> None:
    if raw.dtype.kind not in "iu":
        raise UsageError.at(where, f"found {raw.dtype}, expected whole numbers")
    least, most = described.range
    if raw.size and not least <= int(raw.min()) <= int(raw.max()) <= most:
        what = f"found {raw.min()} to {raw.max()}, expected {least} to {most}"
        raise UsageError.at(where, f"{what} as {described.where} says")


def real_of_words(
    described: RawInput, raw: npt.NDArray[np.integer], *, where: str = "raw values"
) -> npt.NDArray[np.float32]:
    """The same of values that are unpacked: of pixels the colours, 0 to 255."""
    _check_whole(described, raw, where)
    channels = described.channels or (raw.shape[-1] if raw.ndim > 1 else 1)
    values = math.prod(raw.shape[1:])
    several = [len(each) for each in described.of_channels().values()]
    if values % channels or any(count != channels for count in several):
        what = f"found {values} values a sample in {channels} channels"
        raise UsageError.at(where, f"{what}, which are not those of {described.where}")
    flat = raw.reshape(-1, channels)
    is_exact = described.reference is Reference.EXACT
    found = _in_float64(described, flat) if is_exact else _in_float32(described, flat)
    return found.reshape(raw.shape)


def _in_float32(described: RawInput, raw: npt.NDArray[np.integer]) -> npt.NDArray[np.float32]:
    numbers = (described.scale, described.offset, described.mean, described.std)
    scale, offset, mean, std = (_array(each).astype(np.float32) for each in numbers)
    return real_in_float32(raw, scale, offset, mean, std, is_variance=described.is_variance)


def _in_float64(described: RawInput, raw: npt.NDArray[np.integer]) -> npt.NDArray[np.float32]:
    scale, offset, mean, std = map(
        _array, (described.scale, described.offset, described.mean, described.std)
    )
    real = ((raw * scale + offset) - mean) / (np.sqrt(std) if described.is_variance else std)
    found: npt.NDArray[np.float32] = real.astype(np.float32)
    return found


def _array(numbers: tuple[Fraction, ...]) -> npt.NDArray[np.float64]:
    return np.array([float(each) for each in numbers])
