"""Jumps by a table whose place in it depends on data, as in libgcc's division of floats."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.worst_case.test_processor import bounded

CASES = "case 0: x += 3; break; case 1: x ^= 7; x += 2; break; case 2: x ^= 85; break;"
MORE = "case 3: x <<= 3; x ^= 6; break; case 4: x = x >> 2; break; case 5: x = 9; break;"
SWITCH = (
    "volatile unsigned x = (uint8_t)bad_value;"
    f"switch (x & 7) {{ {CASES} {MORE} default: x++; }} bad_value = (int8_t)(x & 127);"
)
DIVISION = (
    "volatile float x = bad_value; x = x / (float)(bad_value & 6); bad_value = (int8_t)(x > 3);"
)
PIECES: Mapping[str, tuple[str, ...]] = {
    SWITCH: ("atmega1284p", "nrf51", "lm3s6965", "riscv32imc"),
    DIVISION: ("nrf51", "riscv32imc"),
}


@pytest.mark.parametrize(
    ("text", "target_name"), [(text, name) for text, names in PIECES.items() for name in names]
)
def test_bounds(text: str, target_name: str, tmp_path: Path) -> None:
    """With known bits every count is the emulator's, and no input takes more or less than the
    bounds; those of a switch are reached."""
    bound, known, counted = bounded(target_name, tmp_path, "", text)
    assert [(each.most, each.least) for each in known.calls] == [(n, n) for n in counted]
    assert all(each.least <= min(counted) <= max(counted) <= each.most for each in bound.calls)
    assert text is not SWITCH or bound.calls[0].most <= 1.1 * max(counted)
