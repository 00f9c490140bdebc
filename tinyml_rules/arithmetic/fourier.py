"""The factors of KISS FFT with integers: sines and cosines, rounded as it does."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from tinyml_rules.arithmetic.interpolated import Int16Array

QUARTER_SINE_512: Final[Int16Array] = np.array(
    [math.floor(0.5 + 32767 * math.sin(math.pi * k / 256)) for k in range(129)], np.int16
)
"""The sines of a quarter of a turn for `fft_512`, in units of 1 / 32767."""
