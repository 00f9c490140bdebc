"""Data to train networks with, and others that only judge: digits of scikit-learn, BasicMotions of
sktime, words that espeak-ng speaks.

Digits and motions are in their packages; the words take a minute and are kept in a file.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.paper.data import VARIANTS, Labelled, words
from models.keyword_synthetic.features import real
from tests.support.speech_features import features_of

Array = npt.NDArray[Any]
Pick = Callable[[Array], Array]

WORDS = Path("build/networks/words.npz")
"""Kept, because espeak-ng needs a minute."""
SEED = 33
"""Of what is drawn here."""
UNSEEN_DIGITS = 300
SIDE, STEPS = 8, 64
STARTS = (0, 18, 36)
"""Of windows in a motion of 100 steps."""
UNSEEN_VOICES = 4
"""The last ones of those that speak."""
NOISE = 0.35


@dataclass(frozen=True, eq=False)
class Examples:
    """Arrays [count, *shape]: inputs in their order, and a target for each output, whole numbers
    for a class."""

    inputs: tuple[Array, ...]
    targets: tuple[Array, ...]

    def __len__(self) -> int:
        return len(self.inputs[0])


@dataclass(frozen=True, eq=False)
class Data:
    """What trains and calibrates, and what only judges."""

    train: Examples
    unseen: Examples


@cache
def digits() -> Data:
    """Pictures [1, 8, 8, 1] of 0 to 1, and which digit each is."""
    from sklearn.datasets import load_digits  # noqa: PLC0415 - only the survey installs it

    found = load_digits()
    order = np.random.default_rng(SEED).permutation(len(found.target))
    pictures = (found.images[order] / 16).astype(np.float32)[:, np.newaxis, :, :, np.newaxis]
    return _split(lambda pick: Examples((pick(pictures),), (pick(found.target[order]),)))


@cache
def digits_in_noise() -> Data:
    """Digits of twice the size under noise [1, 16, 16, 1], and where their pixels are."""
    return _each(digits(), _in_noise)


@cache
def pairs_of_digits() -> Data:
    """Two pictures; which digits they are, and their difference over ten."""
    return _each(digits(), _pairs)


@cache
def motions() -> Data:
    """Windows [1, 64, 6] of accelerometer and gyroscope, by their deviation, and which of four
    activities each is; the archive's test series only judge."""
    from sktime.datasets import load_basic_motions  # noqa: PLC0415 - only the survey installs it

    parts = []
    for split in ("train", "test"):
        series, names = load_basic_motions(split=split, return_type="numpy3d")
        labels = np.unique(names, return_inverse=True)[1]
        windows = [series[:, :, start : start + STEPS].transpose(0, 2, 1) for start in STARTS]
        parts.append((np.concatenate(windows)[:, np.newaxis], np.tile(labels, len(STARTS))))
    deviation = parts[0][0].std(axis=(0, 1, 2))
    train, unseen = (
        Examples(((windows / deviation).astype(np.float32),), (labels,))
        for windows, labels in parts
    )
    return Data(train, unseen)


def slow_motions() -> Data:
    """Every fourth step of the motions, [1, 16, 6]."""
    return _each(motions(), lambda found: Examples((found.inputs[0][:, :, ::4],), found.targets))


@cache
def spoken() -> Data:
    """Features [1, 49, 40, 1] of seconds, by their greatest, and which of four words each is;
    voices that judge did not train."""
    labelled = _stored_words()
    features = (real(labelled.inputs) / 26)[:, np.newaxis, :, :, np.newaxis]
    of_voice = np.count_nonzero(labelled.labels > 0) // len(VARIANTS)
    is_quiet = labelled.labels == 0
    voice = np.where(
        is_quiet, np.arange(len(is_quiet)) % len(VARIANTS), np.arange(len(is_quiet)) // of_voice
    )
    is_unseen = voice >= len(VARIANTS) - UNSEEN_VOICES
    train, unseen = (
        Examples((features[which],), (labelled.labels[which],)) for which in (~is_unseen, is_unseen)
    )
    return Data(train, unseen)


def to_itself(data: Data) -> Data:
    """The target of every input is the input."""
    return _each(data, lambda found: Examples(found.inputs, found.inputs))


class _FrontEnd:
    """Features of TFLM's front end, by a package."""

    def window(self, sound: npt.NDArray[np.int16]) -> npt.NDArray[np.int8]:
        return features_of(sound.tobytes())


def _stored_words() -> Labelled:
    if not WORDS.is_file():
        made = words(_FrontEnd())
        WORDS.parent.mkdir(parents=True, exist_ok=True)
        np.savez_compressed(WORDS, features=made.inputs, labels=made.labels)
    with np.load(WORDS, allow_pickle=False) as stored:
        return Labelled(stored["features"], stored["labels"])


def _split(examples: Callable[[Pick], Examples]) -> Data:
    """The first ones judge."""
    unseen = examples(lambda array: array[:UNSEEN_DIGITS])
    return Data(examples(lambda array: array[UNSEEN_DIGITS:]), unseen)


def _each(data: Data, change: Callable[[Examples], Examples]) -> Data:
    return Data(change(data.train), change(data.unseen))


def _in_noise(found: Examples) -> Examples:
    (pictures,) = found.inputs
    large = pictures.repeat(2, axis=2).repeat(2, axis=3)
    noise = np.random.default_rng(SEED).normal(0, NOISE, large.shape)
    return Examples(((large + noise).astype(np.float32),), ((large > 0.5).astype(np.float32),))


def _pairs(found: Examples) -> Examples:
    (pictures,), (labels,) = found.inputs, found.targets
    others = np.random.default_rng(SEED).permutation(len(labels))
    difference = ((labels - labels[others]) / 10).astype(np.float32)[:, np.newaxis, np.newaxis]
    return Examples((pictures, pictures[others]), (labels, labels[others], difference))
