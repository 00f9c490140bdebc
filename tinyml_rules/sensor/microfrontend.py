"""`[input] features = "microfrontend"`: a microphone in front of a model.

The keys are the parameters of TensorFlow's microfrontend (`audio_microfrontend`), with the values
of microWakeWord and ESPHome where none are given.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from tinyml_rules.errors import UsageError
from tinyml_rules.sensor.key import Truth
from tinyml_rules.sensor.microfrontend_keys import (
    CORRECTION_BITS,
    FFT_SIZE,
    KEYS,
    NEEDED_BY,
    SNR_BITS,
    Keys,
)
from tinyml_rules.sensor.pdm import DECIMATIONS, Pdm
from tinyml_rules.sensor.raw_input import RawInput, read_map
from tinyml_rules.sensor.raw_keys import OF_CHANNELS, Aligned, Endianness, Layout
from tinyml_rules.sensor.table import Table


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
    pdm: Pdm | None
    """How samples are made of the bits of a PDM microphone; None: they are given."""
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
    Keys.features.of(table)
    rate = Keys.sample_rate.of(table)
    window = Keys.window_size.of(table) * rate // 1000
    if not FFT_SIZE // 2 < window <= FFT_SIZE:
        at = f"a window of {window} samples ('window_size' at {rate} Hz)"
        what = f"{at}, expected {FFT_SIZE // 2 + 1} to {FFT_SIZE}, for a transform of {FFT_SIZE}"
        raise UsageError.at(table.where, what)
    step = Keys.window_step.of(table) * rate // 1000
    if not 0 < step <= window:
        what = f"a step of {step} samples, expected 1 to {window}, the samples of a window"
        raise UsageError.at(table.where, what)
    lower, upper = _band(table, rate)
    smoothing_bits = Keys.smoothing_bits.of(table)
    log_shift = Keys.scale_shift.of(table) if _enabled(table, Keys.enable_log) else None
    return Microfrontend(
        where=table.where,
        sample_rate=rate,
        window=window,
        step=step,
        channels=Keys.num_channels.of(table),
        lower_band_limit=lower,
        upper_band_limit=upper,
        smoothing_bits=smoothing_bits,
        even_smoothing=_float32(Keys.even_smoothing.of(table)),
        odd_smoothing=_float32(Keys.odd_smoothing.of(table)),
        min_signal_remaining=_float32(Keys.min_signal_remaining.of(table)),
        pcan=_pcan(table),
        log_shift=log_shift,
        pdm=_pdm(table),
        values=_values(table, most_feature(log_shift)),
    )


def _pdm(table: Table) -> Pdm | None:
    key = Keys.pdm_decimation
    if not key.is_in(table):
        if Keys.pdm_order.is_in(table):
            what = f"'{Keys.pdm_order.name}' is given, but no '{key.name}' with it"
            raise UsageError.at(table.where, what)
        return None
    if table.values[key.name] not in DECIMATIONS:
        table.refuse(key.name, f"one of {', '.join(map(str, DECIMATIONS))}")
    return Pdm(table.values[key.name], Keys.pdm_order.of(table) == "lsb-first")


def _float32(value: Fraction) -> np.float32:
    return np.float32(float(value))


def _band(table: Table, rate: int) -> tuple[np.float32, np.float32]:
    """The limits of the filter bank in Hz."""
    lower, upper = Keys.lower_band_limit.of(table), Keys.upper_band_limit.of(table)
    if not 0 <= lower < upper <= Fraction(rate, 2):
        what = (
            f"'lower_band_limit' is {float(lower):g} and 'upper_band_limit' {float(upper):g}, "
            f"expected rising numbers from 0 to {rate / 2:g}, half of 'sample_rate'"
        )
        raise UsageError.at(table.where, what)
    return _float32(lower), _float32(upper)


def _enabled(table: Table, key: Truth) -> bool:
    """true or false; without it nothing may be there that needs it."""
    is_enabled = key.of(table)
    useless = [each for each in NEEDED_BY[key.name] if each in table.values and not is_enabled]
    if useless:
        what = f"'{key.name}' is false, and '{useless[0]}' is given, expected one of the two"
        raise UsageError.at(table.where, what)
    return is_enabled


def _pcan(table: Table) -> Pcan | None:
    if not _enabled(table, Keys.enable_pcan):
        return None
    strength, offset = Keys.pcan_strength.of(table), Keys.pcan_offset.of(table)
    return Pcan(_float32(strength), _float32(offset), Keys.gain_bits.of(table))


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
