"""Dot products of planes: every width, window and piece of a row equals TFLM's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from tests.ops.test_cases import wrong_in_c
from tests.ops.test_weight_pairs import of_ends
from tests.ops.test_weight_vectors import kernel_of, sums_of
from tests.support.in_pieces import assert_rows_in_pieces
from tests.support.unmeasured import take_wherever_they_can
from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.spatial import Padding
from tinyml_rules.ops.depthwise_conv_2d.cases import depthwise

PART = "mps3_an547"
KERNEL = "planes"
WINDOWS = ((3, 3), (1, 3), (3, 1), (2, 5), (5, 3), (1, 16), (16, 1), (4, 4))
WIDTHS = (1, 2, 3, 4, 5, 6, 9, 12, 13, 14, 25, 43)


def weights(window: tuple[int, int], channels: int, seed: int) -> npt.NDArray[np.int8]:
    """Random ones, half of them ends of their range."""
    random = np.random.default_rng(seed)
    shape = (window[0] * window[1], channels)
    ends = random.choice((-128, -127, 127), shape)
    is_end = random.integers(0, 2, shape) == 1
    return np.where(is_end, ends, random.integers(-128, 128, shape)).astype(np.int8)


def _models() -> Iterator[tuple[str, ModelSpec]]:
    """Every window with every width; strides, both paddings and channels in turn."""
    for number in range(len(WINDOWS) * len(WIDTHS)):
        window, width = WINDOWS[number % 8], WIDTHS[number // 8]
        channels = (8, 16, 24)[number % 3] - (number // 8 % 2) * (1 + number % 7)
        height = 1 + number % 6
        is_inside = number % 4 == 0 and window[0] <= height and window[1] <= width
        padding = Padding.VALID if is_inside else Padding.SAME
        strides = (1 + number % 2, 1 + number // 2 % 3)
        more = {"values": weights(window, channels, number), **sums_of(number)}
        image = (1, height, width, channels)
        name = f"case_{number}_{width}_{height}_{channels}"
        yield name, depthwise(image, window, padding=padding, strides=strides, **more)


@pytest.fixture(autouse=True)
def of_any_shape(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shapes, too, for which other kernels are faster."""
    take_wherever_they_can(monkeypatch, KERNEL)


def models_of_kernel() -> dict[str, ModelSpec]:
    """Those that take it."""
    return {name: model for name, model in _models() if KERNEL in kernel_of(model)}


def test_equals_tflm(tmp_path: Path) -> None:
    """Nearly all take this kernel, and give the reference's bytes."""
    models = models_of_kernel()
    assert len(models) > 0.8 * len(WINDOWS) * len(WIDTHS)
    cases = {name: of_ends(model) for name, model in models.items()}
    assert not wrong_in_c(cases, PART, folder=tmp_path)


def test_pieces(tmp_path: Path) -> None:
    """Rows that are made in two pieces, of any number of pixels."""
    cases = {f"{name}_in_pieces": of_ends(model) for name, model in models_of_kernel().items()}
    assert_rows_in_pieces(cases, PART, folder=tmp_path)


@pytest.mark.parametrize(
    ("window", "channels", "takes"),
    [((4, 4), 8, True), ((1, 17), 8, False), ((3, 3), 12, True), ((16, 1), 8, True)],
)
def test_bounds(window: tuple[int, int], channels: int, takes: bool) -> None:
    """A window of more values than a vector takes another kernel."""
    model = depthwise((1, 20, 20, channels), window)
    assert (KERNEL in kernel_of(model)) == takes
