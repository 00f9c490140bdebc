"""Average pools of AVR: sums of 16 bits, and a product in place of each division."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tests.ops.test_cases import wrong_in_c
from tests.ops.test_unsigned_pairs import kernel_of
from tests.ops.test_weight_pairs import of_ends
from tinyml_rules.arithmetic.fixed_point import Activation
from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.pooling import pool
from tinyml_rules.ops._shared.spatial import Padding
from tinyml_rules.ops.average_pool_2d import MOST_CELLS

PART = "atmega1284p"


def _pool(shape: tuple[int, int, int, int], window: tuple[int, int], **more: Any) -> ModelSpec:
    how: dict[str, Any] = {"strides": (1, 1), **more}
    return pool("AVERAGE_POOL_2D", shape, window, **how)


MODELS: Mapping[str, ModelSpec] = {
    "pool_of_one": _pool((1, 3, 4, 2), (1, 1)),
    "pool_of_nine": _pool((1, 6, 5, 3), (3, 3)),
    "pool_with_strides": _pool((1, 7, 8, 5), (3, 2), strides=(2, 2), padding=Padding.VALID),
    "pool_of_most": _pool((1, 17, 15, 3), (17, 15), padding=Padding.VALID),
    "pool_of_edges": _pool((1, 15, 15, 2), (15, 15)),
    "pool_within_clamps": _pool((1, 5, 5, 4), (2, 3), activation=Activation.RELU6, zero_point=-7),
}


def test_every_mean() -> None:
    """The product is the quotient, ties away from zero, of every sum of every number of cells."""
    for count in range(1, MOST_CELLS + 1):
        sizes = np.arange(128 * count + 1, dtype=np.int64) + count // 2
        products = sizes * ((0xFFFFFF + count) // count)
        assert products.max() < 2**32
        assert np.array_equal(products >> 24, sizes // count)


def test_equals_tflm(tmp_path: Path) -> None:
    """All of them take the kernel, and give the reference's bytes."""
    assert {kernel_of(model) for model in MODELS.values()} == {"average_pool_2d_of_words"}
    assert not wrong_in_c({n: of_ends(m) for n, m in MODELS.items()}, PART, folder=tmp_path)


def test_more_cells() -> None:
    """A byte does not count them."""
    model = _pool((1, 16, 16, 1), (16, 16), padding=Padding.VALID)
    assert kernel_of(model) == "average_pool_2d"
