"""exp of float32 by sums and products of float32 alone, so that numpy and C have the same bits on
every machine, which the functions of C libraries do not.

The polynomial is that of `expf` of the Cephes library (Moshier, 1992); the result is within one
step of float32 of the exact one.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Float32Array = npt.NDArray[np.float32]

_LEAST, _MOST = np.float32(-104), np.float32(89)
"""Below the one exp is 0 in float32, above the other it is infinite."""
_LOG2_OF_E = np.float32(1.44269504)
_LN_2_ABOVE, _LN_2_BELOW = np.float32(0.693359375), np.float32(-2.12194440e-4)
"""Their sum is ln 2; products of the first with whole numbers of 8 bits are exact."""
_POLYNOMIAL = (
    *(1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3),
    *(4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1),
)
_HALF, _ONE = np.float32(0.5), np.float32(1)


def real_exp(values: Float32Array) -> Float32Array:
    """exp of each; what is no number stays so."""
    with np.errstate(all="ignore"):
        x = np.minimum(np.maximum(values, _LEAST), _MOST)
        whole = np.trunc(x * _LOG2_OF_E + np.where(x < 0, -_HALF, _HALF))
        rest = (x - whole * _LN_2_ABOVE) - whole * _LN_2_BELOW
        total = np.full_like(rest, _POLYNOMIAL[0])
        for coefficient in _POLYNOMIAL[1:]:
            total = total * rest + np.float32(coefficient)
        total = total * rest * rest + rest + _ONE
        exponent = np.nan_to_num(whole).astype(np.int32)
        first = np.trunc(exponent / 2).astype(np.int32)  # as C divides
        # two factors, each a normal number
        scaled = total * np.ldexp(_ONE, first) * np.ldexp(_ONE, exponent - first)
    return np.asarray(scaled, np.float32)
