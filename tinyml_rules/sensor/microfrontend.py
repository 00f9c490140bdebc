"""`[input] features = "microfrontend"`: a microphone in front of a model.

The keys are the parameters of TensorFlow's microfrontend (`audio_microfrontend`), with the values
of microWakeWord and ESPHome where none are given.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from tinyml_rules.errors import UsageError
from tinyml_rules.sensor.raw_input import (
    OF_CHANNELS,
    Aligned,
    Endianness,
    Layout,
    RawInput,
    read_map,
)
from tinyml_rules.sensor.table import Table

FFT_SIZE = 512
"""Samples of a Fourier transform: the least power of two that has room for a window."""
FFT_BITS = 9
FILTER_BITS = 12
"""Bits after the point of a weight of the filter bank."""
CORRECTION_BITS = FFT_BITS - FILTER_BITS // 2
"""Bits by which the root of a channel is smaller than what it is the size of."""
SNR_BITS = 12
FEATURE = "microfrontend"
"""The word of the key `features`."""
_KEYS = (
    *("features", "sample_rate", "window_size", "window_step", "num_channels"),
    *("lower_band_limit", "upper_band_limit", "smoothing_bits", "even_smoothing"),
    *("odd_smoothing", "min_signal_remaining", "enable_pcan", "pcan_strength", "pcan_offset"),
    *("gain_bits", "enable_log", "scale_shift"),
)
KEYS = (*_KEYS, *OF_CHANNELS, "reference")
"""Every key of the table."""


@dataclass(frozen=True)
class Microfrontend:
    """The front end of one input; `where` is the table's name in errors.

    `window` and `step` are in samples, limits in Hz, what has a fraction as float32, as the
    library has it.
    """

    where: str
    sample_rate: int
    window: int
    step: int
    channels: int
    lower_band_limit: np.float32
    upper_band_limit: np.float32
    smoothing_bits: int
    even_smoothing: np.float32
    odd_smoothing: np.float32
    min_signal_remaining: np.float32
    pcan: Pcan | None
    log_shift: int | None
    """The logarithm is multiplied by 2 to the power of it; None where there is none."""
    values: RawInput | None
    """What a feature means as a real number; None: as micro_speech and ESPHome take it."""


@dataclass(frozen=True)
class Pcan:
    """Per-channel amplitude normalization: gain = 2^gain_bits * (noise + offset)^-strength."""

    strength: np.float32
    offset: np.float32
    gain_bits: int

    @property
    def snr_shift(self) -> int:
        """Bits that a product with a gain loses."""
        return self.gain_bits - CORRECTION_BITS - SNR_BITS


def most_feature(log_shift: int | None) -> int:
    """The greatest feature: 16 bits, or the scaled logarithm of 32."""
    most = 2**16 - 1
    return most if log_shift is None else min(most, math.ceil(32 * math.log(2) * 2**log_shift))


def is_microfrontend(table: Table) -> bool:
    """Whether an `[input]` describes features, and not the raw values of a sensor."""
    return "features" in table.values


def read_microfrontend(table: Table) -> Microfrontend:
    """The contents of an `[input]` table with features; raises UsageError."""
    table.check_known(KEYS)
    table.word("features", (FEATURE,))
    rate = table.integer("sample_rate", 16000, least=1000, most=192000)
    window = _samples(table, "window_size", 30, rate)
    if not FFT_SIZE // 2 < window <= FFT_SIZE:
        at = f"a window of {window} samples ('window_size' at {rate} Hz)"
        what = f"{at}, expected {FFT_SIZE // 2 + 1} to {FFT_SIZE}, for a transform of {FFT_SIZE}"
        raise UsageError.at(table.where, what)
    step = _samples(table, "window_step", 10, rate)
    if not 0 < step <= window:
        what = f"a step of {step} samples, expected 1 to {window}, the samples of a window"
        raise UsageError.at(table.where, what)
    lower, upper = _band(table, rate)
    smoothing_bits = table.integer("smoothing_bits", 10, least=CORRECTION_BITS, most=16)
    is_log = _enabled(table, "enable_log", ("scale_shift",))
    log_shift = table.integer("scale_shift", 6, least=0, most=10) if is_log else None
    return Microfrontend(
        where=table.where,
        sample_rate=rate,
        window=window,
        step=step,
        channels=table.integer("num_channels", 40, least=1, most=FFT_SIZE // 2),
        lower_band_limit=lower,
        upper_band_limit=upper,
        smoothing_bits=smoothing_bits,
        even_smoothing=_part(table, "even_smoothing", "0.025"),
        odd_smoothing=_part(table, "odd_smoothing", "0.06"),
        min_signal_remaining=_part(table, "min_signal_remaining", "0.05"),
        pcan=_pcan(table),
        log_shift=log_shift,
        values=_values(table, most_feature(log_shift)),
    )


def _samples(table: Table, key: str, default: int, rate: int) -> int:
    """Whole milliseconds, as samples, rounded down."""
    return table.integer(key, default, least=1, most=1000) * rate // 1000


def _band(table: Table, rate: int) -> tuple[np.float32, np.float32]:
    """The limits of the filter bank in Hz."""
    lower = table.number("lower_band_limit", 125)
    upper = table.number("upper_band_limit", 7500)
    if not 0 <= lower < upper <= Fraction(rate, 2):
        what = (
            f"'lower_band_limit' is {float(lower):g} and 'upper_band_limit' {float(upper):g}, "
            f"expected rising numbers from 0 to {rate / 2:g}, half of 'sample_rate'"
        )
        raise UsageError.at(table.where, what)
    return np.float32(float(lower)), np.float32(float(upper))


def _part(table: Table, key: str, default: str) -> np.float32:
    """A number from 0 to 1."""
    value = table.number(key, Fraction(default))
    if not 0 <= value <= 1:
        table.refuse(key, "a number from 0 to 1")
    return np.float32(float(value))


def _enabled(table: Table, key: str, needed_by: Sequence[str]) -> bool:
    """true or false; without it nothing may be there that needs it."""
    is_enabled = table.boolean(key, default=True)
    useless = [each for each in needed_by if each in table.values and not is_enabled]
    if useless:
        what = f"'{key}' is false, and '{useless[0]}' is given, expected one of the two"
        raise UsageError.at(table.where, what)
    return is_enabled


def _pcan(table: Table) -> Pcan | None:
    if not _enabled(table, "enable_pcan", ("pcan_strength", "pcan_offset", "gain_bits")):
        return None
    strength = table.number("pcan_strength", Fraction("0.95"))
    if not 0 < strength <= 2:
        table.refuse("pcan_strength", "a number above 0, at most 2")
    offset = table.number("pcan_offset", 80)
    if offset <= 0:
        table.refuse("pcan_offset", "a number above 0")
    least = CORRECTION_BITS + SNR_BITS
    bits = table.integer("gain_bits", 21, least=least, most=31)
    return Pcan(np.float32(float(strength)), np.float32(float(offset)), bits)


def _values(table: Table, most: int) -> RawInput | None:
    """A feature as a raw value, where any key says what it means."""
    if not any(key in table.values for key in (*OF_CHANNELS, "reference")):
        return None
    for key in OF_CHANNELS:
        if isinstance(table.values.get(key), list):
            table.refuse(key, "one number for all channels")
    return read_map(table, feature_of(table.where, most))


def feature_of(where: str, most: int) -> RawInput:
    """A feature as raw values of a sensor are described: it is its own real number."""
    return RawInput(
        where=where,
        bits=16,
        is_signed=False,
        storage_bits=16,
        aligned=Aligned.RIGHT,
        endianness=Endianness.LITTLE,
        layout=Layout.SAMPLE_MAJOR,
        channels=1,
        stride_bytes=None,
        channel_stride_bytes=None,
        offset_bytes=0,
        range=(0, most),
    )
