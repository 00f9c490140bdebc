"""ram_dot_product() in C equals numpy at the ends of int8, in each of its forms.

The forms for weights in flash of AVR are the same template; cases of the operators run them.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest

from tests.support.combined import SANITIZED, target_or_skip, targets_of_each_kind
from tests.support.pieces import build_around_pieces
from tinyml_rules.runners import run_image

MAIN = Path(__file__).with_name("dot_product_main.c.j2")
MOST = 770
"""Products: three times 256, and some; both operands fit 2 kB of RAM."""

COUNTS = (*range(10), 15, 16, 17, 248, 255, 256, 257, 263, 264, 511, 512, 513, 767, 768, 769, MOST)
ACCS = (0, -1, 0xFFFF, -0x10000, 0xFFFFFF, -0x1000000, 2**31 - 2**24 - 1, -(2**31) + 2**24)
OPERANDS = ((-128, -128), (-128, 127), (127, 127), (None, None))
"""Of all products the same; None for random ones."""


def operand(value: int | None, *, seed: int) -> np.ndarray[tuple[int], np.dtype[np.int8]]:
    """MOST times the value."""
    if value is None:
        return np.random.default_rng(seed).integers(-128, 128, MOST).astype(np.int8)
    return np.full(MOST, value, np.int8)


@pytest.mark.parametrize(
    "target_name", [SANITIZED, *(n for n in targets_of_each_kind() if n != "host")]
)
def test_ram_dot_product(target_name: str, tmp_path: Path) -> None:
    """Every count with every acc and every pair of operands."""
    target = target_or_skip(target_name)
    image = build_around_pieces(target, tmp_path, main=MAIN, pieces=("ram_dot_product",), most=MOST)
    data, expected = bytearray(), []
    for count, acc, values in product(COUNTS, ACCS, OPERANDS):
        weights, inputs = (operand(value, seed=seed) for seed, value in enumerate(values))
        data += np.array([acc, count], "<i4").tobytes() + weights.tobytes() + inputs.tobytes()
        expected.append(acc + int(weights[:count].astype(int) @ inputs[:count].astype(int)))
    result = run_image(target, image, bytes(data), invoke_symbol="apply")
    assert np.frombuffer(result.output, "<i4").tolist() == expected
