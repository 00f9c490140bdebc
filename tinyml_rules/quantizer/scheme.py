"""The numbers of a quantization: a scale and a zero point for each group of tensors, scales for the
output channels of weights, and real biases."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from tinyml_rules.arithmetic.fixed_point import INT8_MAX, INT8_MIN, round_half_away
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Quantization

Numbers = npt.NDArray[Any]
Range = tuple[float, float]

STEPS = INT8_MAX - INT8_MIN
SIGNIFICANT_BITS = 12
"""Of an activation's scale, rounded up: what two machines compute in the last bits does not decide
about a byte of the result."""
LEAST_SCALE = 2.0**-64
LEAST_POWER = -15
"""Of two: the finest scale of a cell that LiteRT's converter gives."""
SCALE_OF_NOTHING = 2.0**-7
"""The scale of a tensor that is always 0."""


@dataclass(frozen=True, eq=False)
class Scheme:
    """`activations` by group; `weights` and `biases` by tensor, in float64, as `filters`, the
    integers of weights that are not simply the nearest, rows as `channels_first` has them.  Of
    `int4` weights there are always such."""

    activations: Mapping[int, Quantization]
    weights: Mapping[int, Numbers]
    biases: Mapping[int, Numbers]
    filters: Mapping[int, Numbers]
    int4: frozenset[int] = frozenset()

    def with_activation(self, group: int, quantization: Quantization) -> Scheme:
        """The same scheme with another quantization of one group."""
        return replace(self, activations={**self.activations, group: quantization})


def rounded_up(value: float, bits: int = SIGNIFICANT_BITS) -> float:
    """The next number of so many significant bits that is not below a positive one."""
    fraction, exponent = math.frexp(value)
    return math.ldexp(math.ceil(fraction * 2**bits), exponent - bits)


def asymmetric(low: float, high: float) -> Quantization:
    """The quantization of a range, widened to contain 0, so that 0 is one of the 256 values."""
    low, high = min(low, 0.0), max(high, 0.0)
    scale = rounded_up(max((high - low) / STEPS, LEAST_SCALE)) if high > low else SCALE_OF_NOTHING
    return with_scale(low, high, scale)


def with_scale(low: float, high: float, scale: float) -> Quantization:
    """The zero point for a range that contains 0, in the given scale: a range that ends at 0 ends
    at the end of int8, all others are centred in it."""
    if low == 0 or high == 0:
        zero_point = INT8_MIN if low == 0 else INT8_MAX
    else:
        middle = (INT8_MIN - low / scale + INT8_MAX - high / scale) / 2
        zero_point = round_half_away(min(max(middle, INT8_MIN), INT8_MAX))
    return Quantization((scale,), (zero_point,))


def symmetric(low: float, high: float, dtype: DType = DType.INT8) -> Quantization:
    """The quantization of a range around 0, with zero point 0."""
    most, (_, greatest) = max(-low, high), dtype.limits
    scale = rounded_up(max(most / greatest, LEAST_SCALE)) if most else SCALE_OF_NOTHING
    return Quantization((scale,), (0,))


def in_power_of_two(low: float, high: float) -> Quantization:
    """The same as int16 with a scale of a power of two, from 2^-15 on."""
    most = max(-low, high, 2.0**-32)
    power = max(math.ceil(math.log2(most / DType.INT16.limits[1])), LEAST_POWER)
    return Quantization((2.0**power,), (0,))


def nearest(values: Numbers, scales: Numbers) -> Numbers:
    """Weights, output channels first, as integers from -127 to 127."""
    quotient = values / scales.reshape(-1, *([1] * (values.ndim - 1)))
    return np.clip(np.rint(quotient), -INT8_MAX, INT8_MAX)
