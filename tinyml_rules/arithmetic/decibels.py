"""Signal-to-quantization-noise ratio."""

from __future__ import annotations

import math


def sqnr_db(signal: float, error: float) -> float:
    """10 log10 of the quotient of two sums of squares, in dB: infinite without an error, and minus
    infinite without a signal."""
    if not error:
        return math.inf
    quotient = signal / error
    return 10 * math.log10(quotient) if quotient else -math.inf
