"""espeak-ng speaks: its voices, the words, and one spoken word as samples at 16 kHz.

Needs the program `espeak-ng` (Debian package of that name). Knows nothing of noise or features.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

Samples = npt.NDArray[np.float32]
Generator = np.random.Generator

RATE = 16_000
PROGRAM = "espeak-ng"
WORDS = ("yes", "no", "up", "down", "stop")
LABELS = ("silence", "unknown", *WORDS)
SILENCE, UNKNOWN = 0, 1
_OTHERS = """
left right go on off one two three four five six eight nine zero bird cat dog house tree bed
happy wow marvin sheila back front open close light music window morning water start top hello
"""
OTHERS = tuple(_OTHERS.split())
"""Spoken to the network as unknown words."""
_OTHERS_HELD_OUT = """
seven forward follow learn visual backward table garden radio paper green sound note yellow
under time
"""
OTHERS_HELD_OUT = tuple(_OTHERS_HELD_OUT.split())
"""Unknown words of the held-out voices alone."""

_REGIONS = ("-us", "-gb-scotland", "-gb-x-gbclan", "-gb-x-rp", "-gb-x-gbcwmd", "-029")
ACCENTS = ("en", *(f"en{region}" for region in _REGIONS))
"""Not en-gb, which takes no variant: all of its variants are the same bytes."""
SPEEDS = (120, 220)
PITCHES = (20, 80)
_QUIET = 0.02  # of a clip's peak: what is below at either end is cut off
_HEADER_BYTES = 44


@dataclass(frozen=True)
class Utterance:
    """One word, as espeak-ng is asked for it; `speed` in words a minute, `pitch` 0 to 99."""

    word: str
    accent: str
    variant: str
    speed: int
    pitch: int

    @property
    def command(self) -> list[str]:
        """It prints the sound as a .wav."""
        voice, speed, pitch = f"{self.accent}+{self.variant}", str(self.speed), str(self.pitch)
        return [PROGRAM, "-v", voice, "-s", speed, "-p", pitch, "--stdout", self.word]


def label_of(word: str) -> int:
    """Its class, an index of LABELS."""
    return LABELS.index(word) if word in WORDS else UNKNOWN


def variants() -> list[str]:
    """The variants of a voice that espeak-ng has, such as f3 or klatt2, sorted; of several that
    sound the same the last one."""
    command = [PROGRAM, "--voices=variant"]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    names = sorted(re.findall(r"!v/(.*?)\s*(?:\(.*)?$", text, re.M))
    word = Utterance(WORDS[0], ACCENTS[0], "", sum(SPEEDS) // 2, sum(PITCHES) // 2)
    sounds = {spoken(replace(word, variant=name).command).tobytes(): name for name in names}
    return sorted(sounds.values())


def divided(names: Sequence[str], generator: Generator, *, held_out: int) -> tuple[list[str], ...]:
    """The variants to train with, and at least `held_out` others. Those whose names differ in a
    number alone (klatt, klatt2) are relatives, and stay together."""
    families: dict[str, list[str]] = {}
    for name in names:
        families.setdefault(re.sub(r"\d+$", "", name).lower(), []).append(name)
    others: list[str] = []
    for family in generator.permutation(sorted(families)):
        if len(others) < held_out:
            others += families[family]
    return [name for name in names if name not in others], sorted(others)


def utterances(
    names: Sequence[str], generator: Generator, *, others: Sequence[str], count: int
) -> Iterator[Utterance]:
    """Each word once from each variant in each accent, and `count` of the other words."""
    for name in names:
        for accent in ACCENTS:
            for word in (*WORDS, *generator.choice(others, count, replace=False)):
                speed, pitch = (int(generator.integers(*limits)) for limits in (SPEEDS, PITCHES))
                yield Utterance(str(word), accent, name, speed, pitch)


def spoken(command: Sequence[str]) -> Samples:
    """What a command says, without the silence around it, between -1 and 1, at 16 kHz."""
    sound = subprocess.run(command, check=True, capture_output=True).stdout
    # The sizes in the header of a stream are not known, so `wave` cannot read it.
    rate = int.from_bytes(sound[24:28], "little")
    samples: Samples = np.frombuffer(sound[_HEADER_BYTES:], "<i2").astype(np.float32)
    loud = np.flatnonzero(np.abs(samples) > _QUIET * np.abs(samples).max())
    assert len(loud), f"{command} gave no sound"
    return _resampled(samples[loud[0] : loud[-1] + 1] / np.float32(32768), rate)


def _resampled(samples: Samples, rate: int) -> Samples:
    """At RATE: the spectrum without what is above RATE / 2."""
    count = len(samples) * RATE // rate
    spectrum = np.fft.rfft(samples)[: count // 2 + 1]
    return (np.fft.irfft(spectrum, count) * (count / len(samples))).astype(np.float32)
