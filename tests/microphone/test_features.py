"""Features, row by row, as the library of TensorFlow makes them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.microphone.images import Case, hear, of_features
from tests.microphone.sounds import sounds
from tests.support.combined import target_or_skip
from tests.support.microfrontend import reference_features
from tinyml_rules.target.target import load_target


@pytest.mark.parametrize("name", ["host"])
def test_rows(name: str, tmp_path: Path) -> None:
    target = load_target(name)
    samples = sounds(101)
    made = of_features("m", target, tmp_path)
    found = hear(target, [Case("m", made, samples)], tmp_path)["m"]
    wanted = reference_features(samples)
    assert found.outputs.shape == wanted.shape
    assert np.array_equal(found.outputs, wanted)


@pytest.mark.parametrize("name", ["nrf52840", "nrf51", "atmega1284p", "riscv32imc"])
def test_parts(name: str, tmp_path: Path) -> None:
    target = target_or_skip(name)
    samples = sounds(1)
    made = of_features("m", target, tmp_path)
    found = hear(target, [Case("m", made, samples)], tmp_path)["m"]
    wanted = reference_features(samples)
    print(
        name,
        found.counts[20:60:5],
        max(found.counts),
        np.mean(found.counts[3:]),
        made.report.arena_bytes,
        found.stack_bytes,
    )
    assert np.array_equal(found.outputs, wanted)
