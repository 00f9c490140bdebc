"""The map from raw values to quantized ones of a description: the reference for every form."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import isqrt, lcm

import numpy as np
import numpy.typing as npt

from tinyml_rules.sensor.raw_keys import Reference

Values = npt.NDArray[np.int64]

_FAR = 2.0**40
"""Beyond every limit, and still exact with a half added."""


@dataclass(frozen=True)
class Affine:
    """q = clamp(round((((raw * scale + offset) - mean) / std) / tensor_scale) + zero_point), ties
    away from zero.

    `deviation` is std, or its square where `is_variance`; `limits` are those of the tensor's type.
    """

    scale: Fraction
    offset: Fraction
    mean: Fraction
    deviation: Fraction
    is_variance: bool
    reference: Reference
    tensor_scale: Fraction
    zero_point: int
    limits: tuple[int, int]

    def quantized(self, raw: Values) -> Values:
        """The value of each raw one, as int64.  Rises with the raw values, or falls where `scale`
        is below 0: each operation is monotone, rounded ones too."""
        is_exact = self.reference is Reference.EXACT
        rounded = self._exact(raw) if is_exact else self._in_float32(raw)
        least, most = self.limits
        return np.clip(rounded + self.zero_point, least, most)

    def _in_float32(self, raw: Values) -> Values:
        numbers = (self.scale, self.offset, self.mean, self.deviation)
        real = real_in_float32(raw, *numbers, is_variance=self.is_variance)
        with np.errstate(over="ignore"):
            return _rounded(real / np.float32(float(self.tensor_scale)))

    def _exact(self, raw: Values) -> Values:
        """With r the square of the real quotient, its rounded size is the greatest m with
        (2 m - 1)^2 <= 4 r, so that no square root has to be exact."""
        std_squared = self.deviation if self.is_variance else self.deviation**2
        shift = self.offset - self.mean
        whole = lcm(self.scale.denominator, shift.denominator)
        rise, first = int(self.scale * whole), int(shift * whole)
        factor = 4 / (std_squared * self.tensor_scale**2 * whole**2)
        above, below = factor.numerator, factor.denominator
        found = []
        for each in raw.reshape(-1).tolist():
            real = each * rise + first
            size = min((isqrt(real * real * above // below) + 1) // 2, int(_FAR))
            found.append(size if real >= 0 else -size)
        return np.array(found, np.int64).reshape(raw.shape)


def real_in_float32(
    raw: npt.NDArray[np.integer],
    scale: Fraction | npt.NDArray[np.float32],
    offset: Fraction | npt.NDArray[np.float32],
    mean: Fraction | npt.NDArray[np.float32],
    deviation: Fraction | npt.NDArray[np.float32],
    *,
    is_variance: bool,
) -> npt.NDArray[np.float32]:
    """((raw * scale + offset) - mean) / std, each operation rounded to float32."""
    with np.errstate(over="ignore"):
        real = raw.astype(np.float32) * _float32(scale)
        real = (real + _float32(offset)) - _float32(mean)
        std = np.sqrt(_float32(deviation)) if is_variance else _float32(deviation)
        found: npt.NDArray[np.float32] = real / std
    return found


def _float32(value: Fraction | npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    return value if isinstance(value, np.ndarray) else np.asarray(float(value), np.float32)


def _rounded(real: npt.NDArray[np.float32]) -> Values:
    """Ties away from zero; in float64, where a float32 and a half have an exact sum."""
    wide = np.clip(real.astype(np.float64), -_FAR, _FAR)
    found: Values = (np.sign(wide) * np.floor(np.abs(wide) + 0.5)).astype(np.int64)
    return found


@dataclass(frozen=True, eq=False)
class Runs:
    """The raw values in runs of one quantized value: `first` and `last` of each, and `value`, three
    arrays of [runs] in the order of the raw values."""

    first: Values
    last: Values
    value: Values

    def times(self, unit: int) -> Runs:
        """The same for raw values that are so many times as large."""
        return Runs(self.first * unit, self.last * unit, self.value)

    @property
    def is_falling(self) -> bool:
        """The quantized values fall where the raw ones rise."""
        return bool(self.value[0] > self.value[-1])


def runs_of(affine: Affine, span: tuple[int, int]) -> Runs:
    """Every run between two raw values, found by bisection: that a run's ends have one value is a
    proof for all within, because the map is monotone."""
    low, high = np.array([span[0]]), np.array([span[1]])
    low_value, high_value = affine.quantized(low), affine.quantized(high)
    edges: list[Values] = []
    while low.size:
        is_open = low_value != high_value
        is_edge = is_open & (high - low == 1)
        edges.append(high[is_edge])
        part = is_open & ~is_edge
        low, high = low[part], high[part]
        low_value, high_value = low_value[part], high_value[part]
        middle = low + (high - low) // 2
        value = affine.quantized(middle)
        low, high = np.concatenate([low, middle]), np.concatenate([middle, high])
        low_value = np.concatenate([low_value, value])
        high_value = np.concatenate([value, high_value])
    first = np.sort(np.concatenate([np.array([span[0]]), *edges]))
    last = np.append(first[1:] - 1, span[1])
    value = affine.quantized(first)
    assert np.array_equal(value, affine.quantized(last)), "the map is monotone"
    return Runs(first, last, value)
