"""Windows of features with their labels: those to train with, and those of voices never heard."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from models.keyword_synthetic.features import STEP, FrontEnd
from models.keyword_synthetic.sounds import second_with, second_without
from models.keyword_synthetic.voices import (
    OTHERS,
    OTHERS_HELD_OUT,
    SILENCE,
    UNKNOWN,
    Generator,
    divided,
    label_of,
    spoken,
    utterances,
    variants,
)

HELD_OUT_VARIANTS = 20
MIXTURES = 2
"""Of each word to train with; of each other word one."""
OTHER_WORDS, OTHER_WORDS_HELD_OUT = 5, 1
"""Of a variant in an accent."""
SILENT_PART = 8
"""One window more of noise alone for so many windows with a word."""
LEAD_ROWS = 50
"""Half of the windows have so many rows of noise before, as in a stream."""


@dataclass(frozen=True, eq=False)
class Windows:
    """Features, int8 [count, 49, 40], and labels, uint8 [count]."""

    features: npt.NDArray[np.int8]
    labels: npt.NDArray[np.uint8]


class Said(Protocol):
    """A word, and what says it."""

    @property
    def word(self) -> str: ...

    @property
    def command(self) -> list[str]: ...


def read_or_make(file: Path, front_end: FrontEnd, generator: Generator) -> tuple[Windows, Windows]:
    """To train with, and held out: from the file, which is written if it is not there."""
    if not file.is_file():
        names, others = divided(variants(), generator, held_out=HELD_OUT_VARIANTS)
        print(f"{len(names)} variants; held out: {', '.join(others)}")
        said = utterances(names, generator, others=OTHERS, count=OTHER_WORDS)
        train = windows_of(list(said), front_end, generator, mixtures=MIXTURES)
        said = utterances(others, generator, others=OTHERS_HELD_OUT, count=OTHER_WORDS_HELD_OUT)
        held_out = windows_of(list(said), front_end, generator, mixtures=1)
        file.parent.mkdir(parents=True, exist_ok=True)
        np.savez_compressed(
            file,
            features=train.features,
            labels=train.labels,
            held_out_features=held_out.features,
            held_out_labels=held_out.labels,
        )
    with np.load(file) as stored:
        return (
            Windows(stored["features"], stored["labels"]),
            Windows(stored["held_out_features"], stored["held_out_labels"]),
        )


def windows_of(
    said: Sequence[Said], front_end: FrontEnd, generator: Generator, *, mixtures: int
) -> Windows:
    """`mixtures` of each word, one of other words, and some of noise alone."""
    features, labels = [], []
    for each in said:
        word, label = spoken(each.command), label_of(each.word)
        for _ in range(1 if label == UNKNOWN else mixtures):
            features.append(front_end.window(second_with(word, generator, lead=_lead(generator))))
            labels.append(label)
    for _ in range(len(labels) // SILENT_PART):
        features.append(front_end.window(second_without(generator, lead=_lead(generator))))
        labels.append(SILENCE)
    return Windows(np.stack(features), np.array(labels, np.uint8))


def _lead(generator: Generator) -> int:
    """Samples of noise before the window."""
    return LEAD_ROWS * STEP * int(generator.integers(2))
