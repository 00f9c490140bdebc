"""log(1 + x) in float32 as C libraries compute it: the algorithm of FreeBSD's msun.

newlib, musl and glibc up to 2.40 have it.  The error is below 1 ulp, so that it is not always the
nearest float32.
"""

from __future__ import annotations

import numpy as np

F = np.float32

_LN2_HIGH, _LN2_LOW = F(0.69313812256), F(9.0580006145e-06)
"""The logarithm of 2 as a number with few bits, and the rest."""
_COEFFICIENTS = tuple(
    map(
        F,
        (
            *(0.66666668653, 0.40000000596, 0.28571429849, 0.22222198546),
            *(0.18183572590, 0.15313838422, 0.14798198640),
        ),
    )
)
"""Of the even powers of s, from the second on, in (log(1 + f) - 2 s) / s with s = f / (2 + f)."""
_SQRT2_LESS_1 = F(0.41421354)
_SQRT2_FRACTION = 0x3504F7
_ONE, _HALF = 0x3F800000, 0x3F000000
_FRACTION = 0x7FFFFF


def log1p(x: np.float32) -> np.float32:
    """Of x from 0 to 2^53: 1 + x = 2^k * (1 + f), with 1 + f between the square roots of 1/2 and
    of 2; `rest` is what 1 + x has lost in its rounding, in parts of it."""
    k, f, rest = 0, x, F(0)
    if x >= _SQRT2_LESS_1:
        whole = F(1) + x
        bits = int(whole.view(np.uint32))
        k = (bits >> 23) - 127
        rest = (F(1) - (whole - x) if k > 0 else x - (whole - F(1))) / whole
        fraction = bits & _FRACTION
        is_upper = fraction >= _SQRT2_FRACTION
        k += is_upper
        f = np.uint32(fraction | (_HALF if is_upper else _ONE)).view(np.float32) - F(1)
    half_square = F(0.5) * f * f
    s = f / (F(2) + f)
    z = s * s
    sum_ = F(0)
    for coefficient in reversed(_COEFFICIENTS):
        sum_ = z * (coefficient + sum_)
    upper, lower = F(k) * _LN2_HIGH, F(k) * _LN2_LOW + rest
    if k == 0:
        return f - (half_square - s * (half_square + sum_))
    return upper - ((half_square - (s * (half_square + sum_) + lower)) - f)
