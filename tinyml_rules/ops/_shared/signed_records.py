"""Tables for AVR kernels whose results can be below the zero point: those of positive sums.

The size of a result below the zero point is that of the negated sum, but for ties of the first
rounding, which are rounded upwards. So a kernel takes one unit of the product's third byte off what
rounds a negated sum; where that is too much, a multiplier a little above TFLM's makes up for it,
while it is right at the ends of all results on both sides.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from tinyml_rules.arithmetic.fixed_point import (
    INT8_MIN,
    Int64Array,
    multiply_by_quantized_multiplier,
)
from tinyml_rules.ir.requantization import Requantization
from tinyml_rules.ir.sum_conditions import Ask
from tinyml_rules.ops._shared.positive_records import (
    FIRST_LONG,
    MULTIPLIER_BYTES,
    Bytes,
    Requantized,
    fits_records,
    in_bytes,
    rounding_bytes,
)

_SHORT_BITS, _LONG_BITS = 40, 48
_BELOW: int = 2**16
"""What is taken off below zero."""
_ABOVE = (0, *(1 << bits for bits in range(16)))
"""What is added to a multiplier, tried in turn."""
_NEAR = np.arange(-2, 4)


def signed_rounding_bytes(found: Requantization, channels: int) -> Bytes:
    """[channels][7]: as `rounding_bytes`, of both signs."""
    multipliers = _multipliers(found)
    assert multipliers is not None
    rounding = rounding_bytes(found, channels=channels)
    stored = np.broadcast_to(multipliers, channels)
    return np.hstack([in_bytes(stored, MULTIPLIER_BYTES), rounding[:, MULTIPLIER_BYTES:]])


def _multipliers(found: Requantization) -> Int64Array | None:
    """Of each output, for shifts that records have room for."""
    ends = (found.clamp_max - found.output_zero_point, found.output_zero_point - found.clamp_min)
    return _stored(tuple(found.multipliers.tolist()), tuple(found.right.tolist()), ends)


@lru_cache(maxsize=64)
def _stored(
    multipliers: tuple[int, ...], right: tuple[int, ...], ends: tuple[int, int]
) -> Int64Array | None:
    """The multiplier of each output, for the largest results above and below the zero point; None
    where one has none."""
    each, shift = np.broadcast_arrays(np.array(multipliers), np.array(right))
    bits = np.where(shift >= FIRST_LONG, _LONG_BITS, _SHORT_BITS)
    rounds = (1 << bits - 1) + (1 << bits - 1 - shift)
    exact = each << bits - 31 - shift
    found, is_open = exact.copy(), np.ones(len(each), bool)
    sides = [_thresholds(each, shift, size, sign) for size, sign in zip(ends, (1, -1), strict=True)]
    for above in _ABOVE:
        is_right = is_open.copy()
        for thresholds, taken_off in zip(sides, (0, _BELOW), strict=True):
            results = np.arange(1, 1 + thresholds.shape[1]) << bits[:, np.newaxis]
            begin = thresholds * (exact + above)[:, np.newaxis] - results
            begin += (rounds - taken_off)[:, np.newaxis]
            is_right &= ((begin >= 0) & (begin < (exact + above)[:, np.newaxis])).all(axis=1)
        found[is_right] += above
        is_open &= ~is_right
        if not is_open.any():
            return np.asarray(found, np.int64)
    return None


def _thresholds(multipliers: Int64Array, shift: Int64Array, most: int, sign: int) -> Int64Array:
    """[outputs][results from 1 to `most`]: the least size of a sum of a sign whose result has that
    size."""
    results = np.arange(1, most + 1)
    about = (2 * results - 1 << 30 + shift[:, np.newaxis]) // multipliers[:, np.newaxis]
    near = about[..., np.newaxis] + _NEAR
    factors, left = (each[:, np.newaxis, np.newaxis] for each in (multipliers, -shift))
    found = sign * multiply_by_quantized_multiplier(sign * near, factors, left)
    is_reached = found >= results[:, np.newaxis]
    assert not is_reached[..., 0].any()
    assert is_reached[..., -1].all()
    thresholds: Int64Array = near[..., 0] + is_reached.argmax(axis=-1)
    return thresholds


def are_signed(sums: Requantized) -> bool:
    """Whether there are such tables, for results from the least int8 on."""
    found = sums.requantization
    if found.clamp_min != INT8_MIN or not fits_records(sums):
        return False
    return _multipliers(found) is not None


SIGNED = Ask(
    are_signed,
    "results are clamped below the zero point, a sum or a shift is larger than a record has room "
    "for, or no multiplier is right",
)
