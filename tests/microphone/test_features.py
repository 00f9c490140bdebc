"""Features, row by row, as the library of TensorFlow makes them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.microphone.images import Case, hear, of_features
from tests.microphone.sounds import sounds
from tests.sensor.images import Toml
from tests.support.combined import SANITIZED, target_or_skip
from tests.support.microfrontend import reference_features
from tinyml_rules.target.target import load_target

OPTIONS: dict[str, Toml] = {
    "fewer": {"num_channels": 20, "window_size": 25, "window_step": 20, "enable_pcan": False},
    "linear": {"enable_log": False, "enable_pcan": False, "scale": 0.0625},
    "many": {"num_channels": 80, "lower_band_limit": 60, "upper_band_limit": 7900.5},
    "few": {"num_channels": 3, "even_smoothing": 0.5, "odd_smoothing": 1, "scale_shift": 9},
    "slow": {"sample_rate": 11025, "window_size": 31, "window_step": 31, "upper_band_limit": 5000},
    "gains": {"gain_bits": 25, "pcan_strength": 0.6, "pcan_offset": 10.5, "smoothing_bits": 7},
    "whole": {"min_signal_remaining": 1, "smoothing_bits": 12, "window_size": 32},
    "uneven": {"num_channels": 52, "lower_band_limit": 822.22, "upper_band_limit": 3950},
}
"""All parameters, each with another value than without it; uneven: weights and rests of bins do not
add up."""


def test_ten_thousand_rows(tmp_path: Path) -> None:
    """On the host, with samples at all ends of the arithmetic."""
    samples = sounds(102)
    case = Case("m", of_features("m", load_target("host"), tmp_path), samples, chunk=148)
    found = hear(load_target("host"), [case], tmp_path)["m"].outputs
    wanted = reference_features(case.samples[: case.turns * case.chunk])
    assert wanted.shape[0] > 10_000
    assert np.array_equal(found, wanted)


@pytest.mark.parametrize("name", [SANITIZED, "nrf51"])
def test_options(name: str, tmp_path: Path) -> None:
    """Every parameter of the library, in sums of 64 bits and of 32; a row at a time, or less."""
    target = target_or_skip(name)
    samples = sounds(1, seed=3)
    cases = [
        Case(key, of_features(key, target, tmp_path, options=options), samples, chunk=160 - 9 * at)
        for at, (key, options) in enumerate(OPTIONS.items())
    ]
    halves = cases[::2], cases[1::2]  # as many as RAM holds
    heard = {key: found for some in halves for key, found in hear(target, some, tmp_path).items()}
    for case in cases:
        options = {key: value for key, value in OPTIONS[case.name].items() if key != "scale"}
        scale = float(str(OPTIONS[case.name].get("scale", 1)))
        features = reference_features(samples[: case.turns * case.chunk], options)
        assert len(features) > 20, case.name
        wanted = np.minimum(np.floor(features * scale + 0.5), 2**15 - 1)
        assert np.array_equal(heard[case.name].outputs, wanted), case.name


@pytest.mark.parametrize("name", ["nrf52840", "nrf51", "atmega1284p", "riscv32imc"])
def test_parts(name: str, tmp_path: Path) -> None:
    """Some hundred rows on emulated parts, begun anew in the middle."""
    target = target_or_skip(name)
    samples = sounds(3, seed=5)
    case = Case("m", of_features("m", target, tmp_path), samples, reset_after=150)
    found = hear(target, [case], tmp_path)["m"]
    halves = samples[: 150 * 160], samples[150 * 160 :]
    wanted = np.concatenate([reference_features(each) for each in halves])
    assert np.array_equal(found.outputs, wanted)


def test_several_rows(tmp_path: Path) -> None:
    """An inference takes three rows; there is a result with each third."""
    samples = sounds(1)
    made = of_features("m", load_target("host"), tmp_path, rows=3)
    found = hear(load_target("host"), [Case("m", made, samples)], tmp_path)["m"]
    wanted = reference_features(samples)
    whole = len(wanted) // 3
    assert np.array_equal(found.outputs, wanted[: 3 * whole].reshape(whole, -1))
    assert np.flatnonzero(found.is_new).tolist() == list(range(4, 100, 3))[:whole]
