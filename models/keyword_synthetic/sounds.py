"""One second around a word, as a microphone in a room may give it: noise, distance, place."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from models.keyword_synthetic.features import SECOND
from models.keyword_synthetic.voices import RATE, Generator, Samples

Int16s = npt.NDArray[np.int16]

LOUDNESS_DB = (-38.0, -12.0)
"""Of the word, its root mean square below full scale."""
SIGNAL_TO_NOISE_DB = (5.0, 45.0)
NOISE_DB = (-75.0, -25.0)
"""Of noise without a word."""
ROOM_S = (0.05, 0.3)
"""In which an echo falls by 60 dB."""
CLICKS, CLICK_S, CLICK_DB = 2, (0.01, 0.2), (0.0, 25.0)
"""As of a mouse or a knock: at most how many, how long, how far above the other noise."""
LARGEST = 32767


def second_with(word: Samples, generator: Generator, *, lead: int) -> Int16s:
    """`lead` samples of noise and a second with the word somewhere in it, as int16."""
    word = _in_a_room(word, generator)[:SECOND]
    loudness = generator.uniform(*LOUDNESS_DB)
    noise_db = loudness - generator.uniform(*SIGNAL_TO_NOISE_DB)
    sound = _noise(lead + SECOND, generator) * _factor(noise_db)
    start = lead + int(generator.integers(0, SECOND - len(word) + 1))
    sound[start : start + len(word)] += word * (_factor(loudness) / _rms(word))
    return _as_int16(sound)


def second_without(generator: Generator, *, lead: int) -> Int16s:
    """The same without a word."""
    return _as_int16(_noise(lead + SECOND, generator) * _factor(generator.uniform(*NOISE_DB)))


def _in_a_room(word: Samples, generator: Generator) -> Samples:
    """An echo of noise that dies away, and a tilt of at most 4 dB an octave around 1 kHz."""
    seconds = generator.uniform(*ROOM_S)
    size = int(seconds * RATE)
    echo = _dying(size, generator)
    echo *= generator.uniform(0, 0.5) / np.sqrt(np.sum(echo**2))
    echo[0] = 1
    count = len(word) + size
    spectrum = np.fft.rfft(word, count) * np.fft.rfft(echo, count)
    spectrum *= _frequencies(count) ** generator.uniform(-0.66, 0.66)
    result: Samples = np.fft.irfft(spectrum, count)[: len(word) + size // 3].astype(np.float32)
    return result


def _noise(count: int, generator: Generator) -> Samples:
    """Between white and brown, louder and softer by turns, sometimes with a hum, of a root mean
    square of 1; and clicks."""
    spectrum = np.fft.rfft(generator.standard_normal(count))
    noise = np.fft.irfft(spectrum * _frequencies(count) ** -generator.uniform(0, 1), count)
    time = np.arange(count) / RATE
    rate, depth = generator.uniform(0.2, 4), generator.uniform(0, 0.6)
    noise *= 1 + depth * np.sin(2 * np.pi * (rate * time + generator.uniform()))
    if generator.uniform() < 0.25:
        tone = 2 * np.pi * generator.uniform(45, 400) * time
        noise += _rms(noise) * sum(np.sin(k * tone) / k for k in (1, 2, 3, 5))
    result: Samples = (noise / _rms(noise)).astype(np.float32)
    for _ in range(int(generator.integers(CLICKS + 1))):
        click = _dying(int(generator.uniform(*CLICK_S) * RATE), generator)
        start = int(generator.integers(count - len(click)))
        result[start : start + len(click)] += click * _factor(generator.uniform(*CLICK_DB))
    return result


def _dying(count: int, generator: Generator) -> Samples:
    """White noise that falls by 60 dB."""
    noise = generator.standard_normal(count) * 10 ** (-3 * np.arange(count) / count)
    return noise.astype(np.float32)


def _frequencies(count: int) -> Samples:
    """Of a real spectrum of `count` samples, in kHz; the lowest are 60 Hz."""
    return np.maximum(np.fft.rfftfreq(count, 1 / RATE) / 1000, 0.06).astype(np.float32)


def _rms(samples: npt.NDArray[Any]) -> float:
    return float(np.sqrt(np.mean(samples.astype(np.float64) ** 2)))


def _factor(decibels: float) -> float:
    return float(10 ** (decibels / 20))


def _as_int16(sound: Samples) -> Int16s:
    result: Int16s = np.clip(np.rint(sound * LARGEST), -LARGEST - 1, LARGEST).astype(np.int16)
    return result
