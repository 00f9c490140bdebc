"""A window of 3 x 3 along the row on AVR: every width, height and number of channels."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.ops.test_cases import wrong_in_c
from tests.ops.test_depthwise_along_row import weights
from tests.ops.test_unsigned_pairs import MOST_SUM, PART, kernel_of
from tests.ops.test_weight_pairs import TIES, of_ends
from tests.support.in_pieces import assert_rows_in_pieces
from tinyml_rules.arithmetic.fixed_point import Activation
from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.case import with_tensor
from tinyml_rules.ops._shared.spatial import Padding
from tinyml_rules.ops.depthwise_conv_2d.cases import depthwise

KERNEL = "along_row_of_bytes"
WIDTHS, HEIGHTS = (*range(1, 10), 16, 17, 18, 33), (1, 2, 4)
CHANNELS = (1, 2, 3, 5, 64, 254, 255)


def sums_of(channels: int, number: int) -> dict[str, Any]:
    """Weights and quantization: ties, large biases, clamps, in turn."""
    more: tuple[dict[str, Any], ...] = (
        {"factor": TIES[number % len(TIES)], "zero_points": (0, 0), "is_per_axis": False},
        {"bias_size": 2**17, "factor": 2.0**-10},
        {"zero_points": (-128, -128), "factor": 2.0**-8},
        {"activation": Activation.RELU6, "zero_points": (127, -100), "factor": 2.0**-7},
        {"zero_points": (127, 100), "factor": 2.0**-10},
    )
    found = {"activation": Activation.RELU, **more[number % len(more)]}
    if channels > 8:
        found["is_per_axis"] = False
    return {"values": weights(channels, number), **found}


def _models(padding: Padding, stride: int) -> Iterator[tuple[str, ModelSpec]]:
    """Every width with every height, and numbers of channels up to the most."""
    shapes = [
        (width, height, 2 + (width + height) % 4) for width, height in product(WIDTHS, HEIGHTS)
    ]
    shapes += [(3 + channels % 3, 3, channels) for channels in CHANNELS]
    least = 1 if padding is Padding.SAME else 3
    for number, (width, height, channels) in enumerate(shapes):
        if min(width, height) >= least:
            strides = (1 + number % 3, stride)
            sums = sums_of(channels, number)
            name = f"case_{number}_{width}_{height}_{channels}_{stride}_{padding.value}"
            image = (1, height, width, channels)
            yield name, depthwise(image, padding=padding, strides=strides, **sums)


@pytest.mark.parametrize("padding", [Padding.SAME, Padding.VALID])
def test_equals_tflm(padding: Padding, tmp_path: Path) -> None:
    """Windows that are not cut off take this kernel, and all give the reference's bytes."""
    models = {**dict(_models(padding, 1)), **dict(_models(padding, 2))}
    used = [name for name, model in models.items() if KERNEL in kernel_of(model)]
    assert len(used) > len(models) // 3
    cases = {name: of_ends(model) for name, model in models.items()}
    assert not wrong_in_c(cases, PART, folder=tmp_path)


def test_pieces(tmp_path: Path) -> None:
    """Rows that are made in two pieces, of any number of pixels."""
    models = {
        f"{name}_in_pieces": model
        for stride in (1, 2)
        for name, model in _models(Padding.SAME, stride)
        if KERNEL in kernel_of(model)
    }
    cases = {name: of_ends(model) for name, model in models.items()}
    assert_rows_in_pieces(cases, PART, folder=tmp_path)


def test_shifts(tmp_path: Path) -> None:
    """Sums that are shifted little and far, with results within int8 and beyond."""
    models = {
        f"sums_{shift}_{stride}": depthwise(
            (1, 4, 8, 4),
            factor=0.51 * 2.0 ** (1 - shift),
            bias_size=2 ** min(7 + shift, 20),
            activation=Activation.RELU,
            strides=(1, stride),
            is_per_axis=False,
        )
        for shift in (*range(1, 14), 15)
        for stride in (1, 2)
    }
    used = [name for name, model in models.items() if KERNEL in kernel_of(model)]
    assert len(used) > len(models) * 3 // 4
    cases = {name: of_ends(model) for name, model in models.items()}
    assert not wrong_in_c(cases, PART, folder=tmp_path)


@pytest.mark.parametrize("size", [MOST_SUM, MOST_SUM + 1])
def test_largest_sums(size: int, tmp_path: Path) -> None:
    """24 bits hold a sum and its sign; another kernel takes what they do not hold."""
    sums: dict[str, Any] = {"factor": 0.9 * 2.0**-14, "zero_points": (0, -128)}
    values = np.full((9, 2), 127, np.int8)
    model = depthwise(
        (1, 3, 3, 2), values=values, activation=Activation.RELU, is_per_axis=False, **sums
    )
    biases = np.array([size - 9 * 127 * 127, 4_000_000], np.int32)
    model = with_tensor(model, 2, data=biases.tobytes())
    assert (KERNEL in kernel_of(model)) == (size <= MOST_SUM)
    assert not wrong_in_c({"largest": of_ends(model)}, PART, folder=tmp_path)
