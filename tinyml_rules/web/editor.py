"""Chooses the page's editor for an input, with its parameters."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinyml_rules.arithmetic.fixed_point import quantize_real
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.interface import Interface, Port
from tinyml_rules.sensor.description import Description
from tinyml_rules.sensor.named import described
from tinyml_rules.sensor.raw_input import RawInput
from tinyml_rules.sensor.real_values import real_of_words

_LEAST_SIDE = 8
"""Least side of a square that counts as an image."""
_MOST_DRAWN = 32
"""Largest side of a square that can be drawn by hand."""
_CHANNELS = (1, 3)
_BYTES = 256
_MOST_LEVELS = 2**16


def editor_of(
    interface: Interface, sensor: Description | None, *, reference: str
) -> dict[str, Any]:
    """{kind, ...}: `sound` for a microphone, `curve` for a single value, `draw` for a small square
    of one channel, `image` for another square, `values` for all else.  `reference`: a function of
    JavaScript's Math that the model imitates, or nothing."""
    if interface.samples:
        return {"kind": "sound"}
    port = interface.inputs[0]
    raw = described(port.tensor, sensor.inputs) if sensor else None
    is_alone = len(interface.inputs) == 1
    is_function = is_alone and not interface.has_variables
    if is_function and port.count == 1 and port.dtype in (DType.INT8, DType.UINT8):
        return {"kind": "curve", "reference": reference}
    square = _square(port)
    if not is_alone or square is None or not port.is_quantized:
        return {"kind": "values"}
    side, channels = square
    kind = "draw" if side <= _MOST_DRAWN and channels == 1 else "image"
    levels = _levels(port, raw, channels)
    return {"kind": kind, "side": side, "channels": channels, "levels": levels}


def _square(port: Port) -> tuple[int, int] | None:
    """(side, channels) of an image as high as wide; spectra of sound are not."""
    shape = port.shape if len(port.shape) == 4 else (*port.shape, 1)
    if len(shape) != 4 or shape[0] != 1 or shape[1] != shape[2] or shape[1] < _LEAST_SIDE:
        return None
    return (shape[1], shape[3]) if shape[3] in _CHANNELS else None


def _levels(port: Port, raw: RawInput | None, channels: int) -> list[list[int]]:
    """By channel the quantized value of every level from the darkest to the brightest: those of the
    description, or the bytes of an image as values of the tensor's type."""
    least, most = port.dtype.limits
    if raw is None or not 0 < _steps(raw) < _MOST_LEVELS:
        spread = np.linspace(least, most, _BYTES).round().astype(int).tolist()
        return [spread] * channels
    first, last = raw.range
    every = np.repeat(np.arange(first, last + 1)[:, None], channels, axis=1)
    real = real_of_words(raw, every)
    quantized = quantize_real(
        real, scale=port.scale, zero_point=port.zero_point, dtype=port.dtype.value
    )
    columns: list[list[int]] = quantized.T.tolist()
    return columns


def _steps(raw: RawInput) -> int:
    return raw.range[1] - raw.range[0]
