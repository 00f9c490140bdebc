"""How right the model is with the voices of another program, flite.

    python -m models.keyword_synthetic.other_voices [--models DIR]

Needs flite (Debian package of that name).
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np

from models.keyword_synthetic.answers import scores_of, table
from models.keyword_synthetic.dataset import windows_of
from models.keyword_synthetic.features import FrontEnd
from models.keyword_synthetic.train import MODEL
from models.keyword_synthetic.voices import OTHERS_HELD_OUT, WORDS

VOICES = ("kal", "kal16", "awb", "rms", "slt")
STRETCHES = (0.9, 1.2)
"""Of the length of a word."""
MIXTURES = 4
SEED = 3


@dataclass(frozen=True)
class Other:
    """A word of flite's."""

    word: str
    voice: str
    stretch: float

    @property
    def command(self) -> list[str]:
        """It prints the sound as a .wav."""
        stretch = f"duration_stretch={self.stretch}"
        return [
            "flite",
            "-voice",
            self.voice,
            "--setf",
            stretch,
            "-t",
            self.word,
            "-o",
            "/dev/stdout",
        ]


def main() -> None:
    """Speak, and print the table."""
    parser = argparse.ArgumentParser(description="The model on another program's voices.")
    parser.add_argument("--models", type=Path, help="a folder with the preprocessor's file")
    parser.add_argument("--cache", type=Path, default=Path("build/keyword_synthetic"))
    options = parser.parse_args()
    front_end = FrontEnd(mirror=options.models, cache=options.cache)
    said = [Other(*each) for each in product((*WORDS, *OTHERS_HELD_OUT), VOICES, STRETCHES)]
    windows = windows_of(said, front_end, np.random.default_rng(SEED), mixtures=MIXTURES)
    answers = scores_of(MODEL.read_bytes(), windows.features)[:, 0].argmax(axis=1)
    print(table("int8", answers, windows.labels))


if __name__ == "__main__":
    main()
