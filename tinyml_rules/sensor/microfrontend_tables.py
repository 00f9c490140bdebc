"""The tables of the microfrontend, computed as the library computes them: in float32.

Every operation is one of float32, in the order of the library's C; a cosine or a power is the
float32 nearest to the real one, a logarithm that of C libraries.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tinyml_rules.arithmetic.float32_log1p import log1p
from tinyml_rules.arithmetic.fourier import QUARTER_SINE_512
from tinyml_rules.arithmetic.interpolated_logarithm import SEGMENTS
from tinyml_rules.errors import UsageError
from tinyml_rules.ir.graph import Array
from tinyml_rules.sensor.microfrontend import Microfrontend, Pcan
from tinyml_rules.sensor.microfrontend_keys import CORRECTION_BITS, FFT_SIZE, FILTER_BITS

Shorts = npt.NDArray[np.int16]
Widths = npt.NDArray[np.uint8]
Words = npt.NDArray[np.uint16]
F = np.float32

_SUM_BITS = 14
"""Bits after the point of a share of the noise, or of the signal."""
_GAIN_INTERVALS = range(2, 33)
_MOST_GAIN = 2**15 - 1


@dataclass(frozen=True, eq=False)
class FilterBank:
    """A bin of the spectrum is a part of the channel that ends above it, and the rest of the next.

    Of the bins from `first` on, `widths` [channels + 1] are in each channel, the first of which is
    no feature; `weights` [bins] are the parts, `rests` [bins] what the next channel has.
    """

    first: int
    widths: Widths
    weights: Shorts
    rests: Shorts

    @property
    def most_sum(self) -> int:
        """The greatest sum of the weights of a feature."""
        ends = np.cumsum(self.widths)
        starts = ends - self.widths
        spans = [slice(*each) for each in zip(starts, ends, strict=True)]
        whole = [int(self.weights[each].sum()) for each in spans]
        rest = [0, *(int(self.rests[each].sum()) for each in spans)]
        return max(one + other for one, other in zip(whole, rest, strict=False))

    @property
    def has_rests(self) -> bool:
        """Weight and rest of a bin do not add up to 4096 everywhere."""
        return bool(np.any(self.weights.astype(int) + self.rests != 2**FILTER_BITS))


def tables_of(front: Microfrontend, bank: FilterBank) -> dict[str, Array]:
    """By name, all that the C has of a front end in flash; rests only where it needs them."""
    found: dict[str, Array] = {
        "window": window_of(front),
        "sine": QUARTER_SINE_512,
        "widths": bank.widths,
        "weights": bank.weights,
    }
    if bank.has_rests:
        found["rests"] = bank.rests
    if front.pcan is not None:
        found["gains"] = gains_of(front.pcan, front.smoothing_bits)
    if front.log_shift is not None:
        found["logarithms"] = SEGMENTS
    return found


def window_of(front: Microfrontend) -> Shorts:
    """[window] coefficients of a Hann window, 12 bits after the point."""
    arg = F(math.pi) * F(2) / F(front.window)
    found = []
    for i in range(front.window):
        cosine = F(math.cos(float(arg * (F(i) + F(0.5)))))
        found.append(math.floor((F(0.5) - F(0.5) * cosine) * F(2**FILTER_BITS) + F(0.5)))
    return np.array(found, np.int16)


def filter_bank_of(front: Microfrontend) -> FilterBank:
    """The channels, equally far apart on the mel scale.  Raises UsageError where the highest bin
    is beyond the spectrum."""
    spectrum = FFT_SIZE // 2 + 1
    width = F(0.5) * F(front.sample_rate) / (F(spectrum) - F(1))
    low = _mel(front.lower_band_limit)
    spacing = (_mel(front.upper_band_limit) - low) / F(front.channels + 1)
    centers = [low + spacing * F(i + 1) for i in range(front.channels + 1)]
    first = bin_ = int(F(1.5) + front.lower_band_limit / width)
    widths, weights, rests = [], [], []
    for below, center in zip([low, *centers], centers, strict=False):
        begin = bin_
        while (mel := _mel(F(bin_) * width)) <= center:
            weight = (center - mel) / (center - below)
            weights.append(_weight(weight))
            rests.append(_weight(F(1) - weight))
            bin_ += 1
        widths.append(bin_ - begin)
    if bin_ >= spectrum:
        what = f"the filter bank ends at bin {bin_} of the spectrum, expected less than {spectrum}"
        raise UsageError.at(front.where, what, hint="take a lower 'upper_band_limit'")
    if first == bin_:
        what = "the filter bank has no bin of the spectrum"
        raise UsageError.at(front.where, what, hint="take an 'upper_band_limit' further up")
    return FilterBank(
        first,
        np.array(widths, np.uint8),
        np.array(weights, np.int16),
        np.array(rests, np.int16),
    )


def share(part: np.float32) -> int:
    """A number from 0 to 1 with 14 bits after the point, the rest cut off."""
    return int(part * F(2**_SUM_BITS))


def gains_of(pcan: Pcan, smoothing_bits: int) -> Shorts:
    """[125]: the gain of a noise of 0 and of 1, then for each interval that begins at a power of
    two, from 2 on, the gain at its start and the two coefficients of a parabola; a 0 between."""
    bits = smoothing_bits - CORRECTION_BITS

    def gain(noise: int) -> int:
        real = F(noise) / F(2**bits)
        power = F(math.pow(float(real + pcan.offset), -float(pcan.strength)))
        found = F(2**pcan.gain_bits) * power
        return _MOST_GAIN if found > F(_MOST_GAIN) else int(found + F(0.5))

    found = [gain(0), gain(1)]
    for interval in _GAIN_INTERVALS:
        start = 2 ** (interval - 1)
        end = 2 * start - (interval == _GAIN_INTERVALS[-1])
        least, middle, most = map(gain, (start, start + start // 2, end))
        linear = 4 * (middle - least) - (most - least)
        found += [least, linear, most - least - linear, 0]
    return np.array(found[:-1], np.int64).astype(np.int16)


def are_gains_unsigned(gains: Array) -> bool:
    """Whether no parabola leaves the numbers from 0 to 32767, for any noise: an int16 beyond them
    wraps, and the product with it then has the bits of one with a negative number."""
    first, linear, square = (gains[at::4].astype(np.int64)[:, None] for at in (2, 3, 4))
    part = np.arange(2**10)
    slope = (square * part >> 5) + linear * 2**5
    rise = ((slope * part + 2**14).astype(np.int32) >> 15).astype(np.int64)
    found = rise + first
    return bool(found.min() >= 0 and found.max() <= _MOST_GAIN)


def _mel(hertz: np.float32) -> np.float32:
    return F(1127) * log1p(hertz / F(700))


def _weight(part: np.float32) -> int:
    return math.floor(part * F(2**FILTER_BITS) + F(0.5))
