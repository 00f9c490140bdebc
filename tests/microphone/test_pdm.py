"""Bits of a PDM microphone: the features are those of samples that numpy filters out of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.microphone.images import Case, Samples, hear, of_features
from tests.microphone.sounds import sounds
from tests.sensor.images import Toml
from tests.support.combined import SANITIZED, target_or_skip
from tests.support.microfrontend import reference_features
from tests.support.tflm import AnyArray
from tinyml_rules.sensor.pdm import Pdm


def samples_of(bits: AnyArray, decimation: int) -> Samples:
    """By convolution with three boxes and (-1, 10, -1) / 8, in whole numbers."""
    box = np.ones(decimation, np.int64)
    boxes = np.convolve(np.convolve(box, box), box)
    filtered = np.convolve(2 * bits.astype(np.int64) - 1, boxes)[: bits.size]
    sums = np.convolve(filtered[decimation - 1 :: decimation], (-1, 10, -1))
    unit = 8 * decimation**3
    rounded = (2 * 2**15 * sums[: bits.size // decimation] + unit) // (2 * unit)
    found: Samples = np.clip(rounded, -(2**15), 2**15 - 1).astype(np.int16)
    return found


def modulated(samples: AnyArray, decimation: int) -> AnyArray:
    """The bits of a first-order modulator: where the sum of levels passes a whole number."""
    levels = np.repeat(samples.astype(np.int64) + 2**15, decimation)
    ends = np.cumsum(levels) >> 16
    return np.diff(ends, prepend=0).astype(np.uint8)


@pytest.mark.parametrize(
    ("name", "decimation", "order"),
    [
        (SANITIZED, 32, "msb-first"),
        (SANITIZED, 64, "lsb-first"),
        (SANITIZED, 128, "msb-first"),
        ("nrf52840", 64, "lsb-first"),
        ("atmega1284p", 64, "msb-first"),
    ],
)
def test_features_of_bits(name: str, decimation: int, order: str, tmp_path: Path) -> None:
    """Sounds of a modulator, random bits, and bits that stay, on the host and on emulated parts."""
    rng = np.random.default_rng(decimation)
    sound = modulated(sounds(1, seed=4)[:6400] // 2, decimation)
    ends = np.repeat([1, 0, 1], 400 * decimation)
    bits = np.concatenate([sound, rng.integers(0, 2, 400 * decimation), ends]).astype(np.uint8)
    options: Toml = {"pdm_decimation": decimation, "pdm_order": order}
    target = target_or_skip(name)
    packed = np.packbits(bits, bitorder="big" if order == "msb-first" else "little")
    words = np.frombuffer(packed.tobytes(), np.int16)
    made = of_features("m", target, tmp_path, options=options)
    case = Case("m", made, words, chunk=251, is_pdm=True)  # not in step with samples
    used = 16 * case.turns * case.chunk // decimation * decimation
    wanted = reference_features(samples_of(bits[:used], decimation))
    found = hear(target, [case], tmp_path)["m"].outputs
    assert len(wanted) > 40
    assert np.array_equal(found, wanted)


@pytest.mark.parametrize(("decimation", "noise_db"), [(32, -34), (64, -41), (128, -49)])
def test_a_tone_comes_through(decimation: int, noise_db: int) -> None:
    """Of 1 kHz at 16 kHz within 0.1 dB, with no more noise than a modulator of first order has; and
    where all bits are 1, the greatest sample."""
    tone = 12000 * np.sin(2 * np.pi * np.arange(4000) / 16)
    found = samples_of(modulated(np.rint(tone), decimation), decimation)[400:3600].astype(float)
    turns = np.exp(-2j * np.pi * np.arange(found.size) / 16)
    part = 2 * (found @ turns) / found.size
    rest = found - np.real(part * np.conj(turns))
    assert abs(20 * np.log10(abs(part) / 12000)) < 0.1
    assert 20 * np.log10(np.std(rest) * np.sqrt(2) / 12000) < noise_db
    assert samples_of(np.ones(8 * decimation), decimation)[-1] == 2**15 - 1


@pytest.mark.parametrize("is_lowest_first", [False, True])
def test_tables(is_lowest_first: bool) -> None:
    """What a byte adds is what its bits add one after the other."""
    tables = Pdm(64, is_lowest_first).tables()
    for byte in range(256):
        sums = [0, 0, 0]
        for place in range(8):
            bit = byte >> (place if is_lowest_first else 7 - place) & 1
            sums[0] += 2 * bit - 1
            sums[1] += sums[0]
            sums[2] += sums[1]
        assert [int(table[byte]) for table in tables.values()] == sums
