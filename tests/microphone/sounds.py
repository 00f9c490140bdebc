"""Samples that reach the ends of the front end's arithmetic."""

from __future__ import annotations

import numpy as np

from tests.microphone.images import Samples
from tests.support.tflm import AnyArray


def sounds(seconds: int, *, seed: int = 0) -> Samples:
    """So many seconds of 16 kHz: of each kind a tenth of a second, over and over, at many levels.

    Silence, -32768 throughout, full scale, a chirp, noise, one sample alone, a square wave.
    """
    rng = np.random.default_rng(seed)
    count = 1600
    at = np.arange(count)
    found: list[AnyArray] = []
    while len(found) < 10 * seconds:
        level = 2.0 ** rng.uniform(0, 15)
        single = np.zeros(count)
        single[rng.integers(0, count, 3)] = -32768
        found += [
            np.zeros(count),
            np.full(count, -32768),
            rng.choice([-32768, 32767], count),
            level * np.sin(at**2 * rng.uniform(1e-5, 1e-3)),
            rng.integers(-32768, 32768, count),
            rng.normal(0, level, count),
            single,
            level * np.sign(np.sin(at * rng.uniform(0.01, 1))),
            rng.integers(-2, 3, count),
            np.full(count, 32767),
        ]
    whole: Samples = np.clip(np.concatenate(found), -32768, 32767).astype(np.int16)
    return whole
