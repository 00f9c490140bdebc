"""Recorded raw values as real numbers: quantized by numpy they are what the C gives."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from tests.sensor.descriptions import draw
from tests.sensor.images import described
from tests.sensor.meaning import expected
from tinyml_rules.sensor.real_values import real_values


@pytest.mark.parametrize("reference", ["float32", "exact"])
@pytest.mark.parametrize("seed", range(12))
def test_quantized_by_numpy(seed: int, reference: str, tmp_path: Path) -> None:
    """As LiteRT's QUANTIZE would: equal for float32, but for ties for exact real numbers."""
    rng = random.Random(seed)  # noqa: S311 - not for secrets
    drawn = draw(rng, bits=8 + seed % 9, reference=reference, channels=1 + seed % 3)
    sensor = described(drawn.table, tmp_path).inputs[""]
    raw = np.random.default_rng(seed).choice(drawn.raw, (50, 4, drawn.channels))
    real = real_values(sensor, raw)
    assert real.dtype.name == "float32" and real.shape == raw.shape
    scaled = (real / np.float32(drawn.scale)).astype(np.float64)
    rounded = np.sign(scaled) * np.floor(np.abs(scaled) + 0.5) + drawn.zero_point
    columns = raw.reshape(-1, drawn.channels)
    wanted = expected(drawn.table, columns, scale=drawn.scale, zero_point=drawn.zero_point)
    found = np.clip(rounded, -128, 127).reshape(columns.shape)
    is_tie = np.abs(scaled - np.floor(scaled) - 0.5).reshape(columns.shape) < 1e-3
    assert (
        np.array_equal(found, wanted)
        if reference == "float32"
        else np.all((found == wanted) | is_tie)
    )
