"""Decisions from outputs of uint8, for all 256 values: what they mean, in fractions."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from tests.decide.models import decided, requantizing
from tests.decide.probes import Probe, run_probes
from tests.support.combined import SANITIZED, target_or_skip

SCALE, ZERO_POINT = 0.0235, 17
THRESHOLD = "0.7001"
TEXT = f"""[output]
head = ["argmax", "top-k", "threshold", "fixed-point"]
k = 1
threshold = {THRESHOLD}
fraction_bits = 20
"""
EXPRESSIONS = (
    "model_decide(@)",
    "best",
    "model_reaches_threshold(@, 0)",
    "model_fixed_point(@, 0)",
)


@pytest.mark.parametrize("part", [SANITIZED, "atmega328"])
def test_all_values(part: str, tmp_path: Path) -> None:
    """The first value takes all 256, and is compared with one that stays."""
    quantization = (SCALE, ZERO_POINT)
    model = requantizing(2, quantization, quantization, dtype="uint8")
    target = target_or_skip(part)
    made = decided(model, TEXT, tmp_path, target=target)
    (port,) = made.interface.outputs
    assert (port.c_type, port.zero_point) == ("uint8_t", ZERO_POINT + 128)
    values = np.array([[value, 40] for value in range(-128, 128)], np.int8)
    probe = Probe(made, EXPRESSIONS, "int16_t best; model_top_k(@, &best);")
    (found,) = run_probes(target, [probe], [values], tmp_path)
    for (value, other), (best, top, is_reached, fixed) in zip(
        values.tolist(), found.tolist(), strict=True
    ):
        real = Fraction(float(np.float32(SCALE))) * (value - ZERO_POINT)
        assert best == top == int(other > value)
        assert is_reached == (real >= Fraction(THRESHOLD))
        assert abs(Fraction(fixed, 2**20) - real) < Fraction(1, 2**20)
