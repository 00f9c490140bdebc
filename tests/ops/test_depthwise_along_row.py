"""A window of 3 x 3 along the row: every width, height and number of channels equals TFLM's."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from tests.ops.test_cases import wrong_in_c
from tests.ops.test_weight_pairs import TIES, kernel_of, of_ends
from tests.support.in_pieces import assert_rows_in_pieces
from tests.support.unmeasured import take_wherever_they_can
from tinyml_rules.arithmetic.fixed_point import Activation
from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.spatial import Padding
from tinyml_rules.ops.depthwise_conv_2d.cases import depthwise

PARTS = {"nrf52840": 1, "lm3s6965": 4, "riscv32imc": 4}
"""One of each kind of kernel, and which of the models it runs: all, or every fourth."""
KERNEL = "along_row"
WIDTHS, HEIGHTS, CHANNELS = range(1, 10), range(1, 6), range(1, 10)


@pytest.fixture(autouse=True)
def of_any_width(monkeypatch: pytest.MonkeyPatch) -> None:
    """Narrow rows, too, for which other kernels are faster."""
    take_wherever_they_can(monkeypatch, KERNEL)


def weights(channels: int, seed: int) -> npt.NDArray[np.int8]:
    """Random ones, half of them ends of their range."""
    random = np.random.default_rng(seed)
    ends = random.choice((-128, -127, 127), (9, channels))
    is_end = random.integers(0, 2, (9, channels)) == 1
    return np.where(is_end, ends, random.integers(-128, 128, (9, channels))).astype(np.int8)


def sums_of(channels: int, number: int) -> dict[str, Any]:
    """Weights and quantization: ties, large biases, clamps, sums of any size, in turn."""
    more: tuple[dict[str, Any], ...] = (
        {"factor": TIES[number % len(TIES)], "zero_points": (0, 0), "is_per_axis": False},
        {"bias_size": 2**19, "factor": 2.0**-12},
        {"activation": Activation.RELU, "zero_points": (-128, -128), "factor": 2.0**-8},
        {"activation": Activation.RELU6, "zero_points": (127, -100), "factor": 2.0**-7},
        {"activation": Activation.RELU_N1_TO_1, "zero_points": (-5, 9), "factor": 2.0**-9},
        {"zero_points": (127, 127), "factor": 2.0**-10},
        {},
    )
    return {"values": weights(channels, number), **more[number % len(more)]}


def _models(padding: Padding, stride: int) -> Iterator[tuple[str, ModelSpec]]:
    """Every width with every height, and with every number of channels."""
    shapes = [
        (width, height, 2 + (width + height) % 8) for width, height in product(WIDTHS, HEIGHTS)
    ]
    shapes += [(width, 3 + channels % 3, channels) for width, channels in product(WIDTHS, CHANNELS)]
    least = 1 if padding is Padding.SAME else 3
    for number, (width, height, channels) in enumerate(shapes):
        if min(width, height) >= least:
            strides = (1 + number % 3, stride)
            sums = sums_of(channels, number)
            name = f"case_{number}_{width}_{height}_{channels}"
            image = (1, height, width, channels)
            yield name, depthwise(image, padding=padding, strides=strides, **sums)


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize("padding", [Padding.SAME, Padding.VALID])
def test_equals_tflm(part: str, padding: Padding, stride: int, tmp_path: Path) -> None:
    """Windows that are not cut off take this kernel, and all give the reference's bytes."""
    models = dict([*_models(padding, stride)][:: PARTS[part]])
    used = [name for name, model in models.items() if KERNEL in kernel_of(model, part)]
    assert len(used) > len(models) // 3
    cases = {name: of_ends(model) for name, model in models.items()}
    assert not wrong_in_c(cases, part, folder=tmp_path)


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("stride", [1, 2])
def test_pieces(part: str, stride: int, tmp_path: Path) -> None:
    """Rows that are made in two pieces, of any number of pixels."""
    some = [*_models(Padding.SAME, stride)][:: PARTS[part]]
    models = {f"{name}_in_pieces": model for name, model in some}
    cases = {
        name: of_ends(model) for name, model in models.items() if KERNEL in kernel_of(model, part)
    }
    assert_rows_in_pieces(cases, part, folder=tmp_path)


@pytest.mark.parametrize("part", PARTS)
def test_other_sums(part: str, tmp_path: Path) -> None:
    """Sums that are shifted little and far, and sums that one rounding does not allow."""
    models = {
        f"sums_{bias}_{shift}_{stride}": depthwise(
            (1, 4, 8, 4),
            factor=0.7 * 2.0**-shift,
            bias_size=bias,
            strides=(1, stride),
            is_per_axis=False,
        )
        for bias, shift in ((500, 1), (500, 6), (500, 12), (2**20, 14), (2**24, 16))
        for stride in (1, 2)
    }
    models |= {
        f"unbounded_{stride}": depthwise(
            (1, 4, 8, 4), factor=2.0**-12, bias_size=3 * 2**29, strides=(1, stride)
        )
        for stride in (1, 2)
    }
    assert sum(KERNEL in kernel_of(model, part) for model in models.values()) > len(models) // 2
    cases = {name: of_ends(model) for name, model in models.items()}
    assert not wrong_in_c(cases, part, folder=tmp_path)
