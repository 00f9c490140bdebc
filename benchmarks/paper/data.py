"""What the models of the paper are judged by here: a noisy sine, spoken words, small faces.

None is the paper's test set.  The words need espeak-ng, the faces the package scikit-image.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product
from typing import Protocol

import numpy as np
import numpy.typing as npt

from models.keyword_synthetic.features import SECOND
from models.keyword_synthetic.voices import (
    ACCENTS,
    OTHERS,
    PITCHES,
    SPEEDS,
    Generator,
    Utterance,
    spoken,
)

SINE_SEED, SINE_SAMPLES, NOISE = 1000, 1000, 0.1
WORDS_SEED = 192
LABELS = ("silence", "unknown", "yes", "no")
"""Of the model speech, in their order."""
VARIANTS = (
    *("m1", "m2", "m3", "m4", "m5", "m6", "m7", "m8"),
    *("f1", "f2", "f3", "f4", "f5", "klatt", "klatt2", "croak"),
)
"""Of espeak-ng's voice."""
WORD_ACCENTS = ACCENTS[:4]
LOUDNESS, ROOM_NOISE = 0.1, 0.001
"""Root mean squares of a word and of the noise around it, of full scale: -20 and -60 dB."""
QUIET_WINDOWS = 64
SIDE = 96
"""Pixels of a row of person_detect's input."""


KEPT = 13
"""Of every so many windows one is in the repository, words.npz, for its tests."""


@dataclass(frozen=True, eq=False)
class Labelled:
    """Inputs, int8 [count, ...], and the class of each."""

    inputs: npt.NDArray[np.int8]
    labels: npt.NDArray[np.int64]


def noisy_sine(*, is_normal: bool) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """x from 0 to 2 pi and sin(x) with noise, uniform in +-NOISE as the paper says, or normal with
    that deviation as the test set in its repository has it; each [SINE_SAMPLES]."""
    generator = np.random.default_rng(SINE_SEED)
    x = generator.uniform(0, 2 * math.pi, SINE_SAMPLES)
    noise = generator.uniform(-NOISE, NOISE, SINE_SAMPLES)
    if is_normal:
        noise = generator.normal(0, NOISE, SINE_SAMPLES)
    # The last bit of sin() depends on the processor; on a grid of 2^-30 all agree.
    return x, np.rint(np.sin(x) * 2**30) / 2**30 + noise


def utterances(generator: Generator) -> list[Utterance]:
    """192 words: yes, no and one of other words by each voice in each accent."""
    found = []
    for variant, accent in product(VARIANTS, WORD_ACCENTS):
        for word in ("yes", "no", str(generator.choice(OTHERS))):
            speed, pitch = (int(generator.integers(*limits)) for limits in (SPEEDS, PITCHES))
            found.append(Utterance(word, accent, variant, speed, pitch))
    return found


class HasFeatures(Protocol):
    """Makes features of a second of sound, int8 [49, 40]."""

    def window(self, sound: npt.NDArray[np.int16], /) -> npt.NDArray[np.int8]: ...


def words(front_end: HasFeatures) -> Labelled:
    """Features of the words, each in the middle of a second, and of seconds without one."""
    generator = np.random.default_rng(WORDS_SEED)
    sounds, labels = [], []
    for each in utterances(generator):
        word = spoken(each.command)[:SECOND]
        sound = generator.standard_normal(SECOND) * ROOM_NOISE
        start = (SECOND - len(word)) // 2
        sound[start : start + len(word)] += word * (LOUDNESS / np.sqrt(np.mean(word**2)))
        sounds.append(sound)
        labels.append(LABELS.index(each.word) if each.word in LABELS else 1)
    for _ in range(QUIET_WINDOWS):
        sounds.append(generator.standard_normal(SECOND) * ROOM_NOISE)
        labels.append(0)
    samples = np.clip(np.rint(np.stack(sounds) * 32767), -32768, 32767).astype(np.int16)
    features = np.stack([front_end.window(sound) for sound in samples])
    return Labelled(features, np.array(labels))


def faces() -> Labelled:
    """scikit-image's lfw_subset, scaled: 100 faces (class 1) and 100 pieces without one."""
    from skimage.data import lfw_subset  # noqa: PLC0415 - only `paper` installs it
    from skimage.transform import resize  # noqa: PLC0415

    images = lfw_subset()
    scaled = [resize(image, (SIDE, SIDE), order=1) for image in images]
    pixels = np.rint(np.stack(scaled) * 255).astype(np.int16)
    labels = np.array([1] * 100 + [0] * 100)
    return Labelled((pixels - 128).astype(np.int8)[..., np.newaxis], labels)
