"""From one second of sound to the 49 x 10 features that the keyword model takes.

MFCCs as TensorFlow's `signal` has them, with the parameters of `get_dataset.py` in MLPerf Tiny's
keyword spotting: Hann windows of 30 ms every 20 ms, 40 bands from 20 to 4,000 Hz, 10 coefficients.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

from tests.support.speech_features import FRAMES, SAMPLE_RATE, read_sound
from tinyml_rules.arithmetic.fixed_point import quantize_real
from tinyml_rules.ir.interface import Port

Real = npt.NDArray[np.float64]

_WINDOW, _STRIDE, _BINS = 480, 320, 257
_BANDS, _COEFFICIENTS = 40, 10
_LOWEST_HZ, _HIGHEST_HZ = 20.0, 4000.0
_LEAST = 1e-6


def keyword_features(path: Path, port: Port) -> npt.NDArray[np.int8]:
    """The features of a 16 kHz mono 16-bit .wav of one second, quantized for the model's input."""
    sound = np.frombuffer(read_sound(path), "<i2").astype(np.float64)
    starts = _STRIDE * np.arange(FRAMES)[:, None]
    hann = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(_WINDOW) / _WINDOW)
    frames = (sound / sound.max())[starts + np.arange(_WINDOW)] * hann
    bands = np.abs(np.fft.rfft(frames, 2 * (_BINS - 1))) @ _filters()
    waves = np.outer(2 * np.arange(_BANDS) + 1, np.arange(_COEFFICIENTS))
    coefficients = np.log(bands + _LEAST) @ np.cos(np.pi * waves / (2 * _BANDS))
    real = (coefficients * np.sqrt(2 / _BANDS)).reshape(port.shape)
    return quantize_real(real, scale=port.scale, zero_point=port.zero_point)


def _filters() -> Real:
    """Triangles on the mel scale, shape (bins, bands); the bin of 0 Hz is in none."""
    bins = _mel(np.linspace(0, SAMPLE_RATE / 2, _BINS)[1:])[:, None]
    edges = np.linspace(_mel(_LOWEST_HZ), _mel(_HIGHEST_HZ), _BANDS + 2)
    lower, centre, upper = edges[:-2], edges[1:-1], edges[2:]
    rising, falling = (bins - lower) / (centre - lower), (upper - bins) / (upper - centre)
    return np.vstack([np.zeros(_BANDS), np.maximum(0, np.minimum(rising, falling))])


def _mel(hertz: Real | float) -> Real:
    return np.asarray(1127 * np.log1p(np.asarray(hertz) / 700))
