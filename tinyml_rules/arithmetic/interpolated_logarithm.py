"""The table of TFLM's logarithm of audio signals, between whose entries it interpolates."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
import numpy.typing as npt

_SEGMENTS = 128

SEGMENTS: Final[npt.NDArray[np.uint16]] = np.array(
    [
        round(2**16 * (math.log2(1 + place / _SEGMENTS) - place / _SEGMENTS))
        for place in range(_SEGMENTS + 1)
    ],
    np.uint16,
)
"""How far the logarithm to base 2 is above the chord from 1 to 2, in units of 2^-16."""
