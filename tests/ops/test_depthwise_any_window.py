"""Windows of any size in planes: every size, stride, width and number of channels equals TFLM's."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.ops.test_cases import wrong_in_c
from tests.ops.test_depthwise_along_row import sums_of
from tests.ops.test_weight_pairs import kernel_of, of_ends
from tests.passes.test_fold_pad import behind_pad
from tests.support.in_pieces import assert_rows_in_pieces
from tests.support.unmeasured import take_wherever_they_can
from tinyml_rules.compiler import compile_model
from tinyml_rules.model_file.writer import ModelSpec, build_model
from tinyml_rules.ops._shared.cases.weighted import WRAPPING_FACTOR, wrapping
from tinyml_rules.ops._shared.spatial import Padding
from tinyml_rules.ops.depthwise_conv_2d.cases import depthwise
from tinyml_rules.request.request import Request
from tinyml_rules.target.target import load_target

PARTS = {"nrf52840": 2, "lm3s6965": 5, "nrf51": 5, "riscv32imc": 5, "xtensa_lx6": 5, "esp8266": 5}
"""One of each kind of planes or of sums, and that it runs every second or fifth of the models."""
KERNEL = "plane_of_"
WINDOWS = ((5, 5), (7, 7), (1, 9), (4, 4), (3, 5), (5, 3), (2, 5), (9, 2), (1, 2), (3, 1), (6, 6))


@pytest.fixture(autouse=True)
def of_any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small windows and narrow rows, too, for which other kernels are faster."""
    take_wherever_they_can(monkeypatch, KERNEL)


def sums_of_window(window: tuple[int, int], outputs: int, number: int) -> dict[str, Any]:
    """As `sums_of` has them, for this window."""
    random = np.random.default_rng(number)
    shape = (window[0] * window[1], outputs)
    ends = random.choice((-128, -127, 127), shape)
    is_end = random.integers(0, 2, shape) == 1
    weights = np.where(is_end, ends, random.integers(-128, 128, shape)).astype(np.int8)
    return {**sums_of(outputs, number), "values": weights}


def _models() -> Iterator[tuple[str, ModelSpec]]:
    """Every window with each stride, of rows of 1 to 33 pixels and 1 to 9 channels."""
    for number, (window, stride) in enumerate(product(WINDOWS, (1, 2, 3))):
        width = window[1] + (3 * number) % 11 if number % 8 else 33
        padding = Padding.VALID if number % 5 == 4 else Padding.SAME
        channels, multiplier = 1 + number * 4 % 9, 1 + (number % 7 == 3)
        height = window[0] + number % 3
        model = depthwise(
            (1, height, width, channels + (channels * multiplier == 1)),
            window,
            depth_multiplier=multiplier,
            strides=(1 + number % 2, stride),
            padding=padding,
            **sums_of_window(
                window, (channels + (channels * multiplier == 1)) * multiplier, number
            ),
        )
        yield f"case_{number}_{window[0]}_{window[1]}_{stride}_{width}_{channels}", model


def _rows_of_each_width() -> Iterator[tuple[str, ModelSpec]]:
    for width in range(1, 18):
        sums = sums_of_window((3, 4), 1 + width % 4 + 1, width)
        yield f"width_{width}", depthwise((1, 3, width, 1 + width % 4 + 1), (3, 4), **sums)


MODELS = dict([*_models(), *_rows_of_each_width()])
WRAPS = wrapping(depthwise((1, 6, 9, 6), (5, 5), factor=WRAPPING_FACTOR))
"""Sums beyond int32, with every part."""


@pytest.mark.parametrize("part", PARTS)
def test_equals_tflm(part: str, tmp_path: Path) -> None:
    """Nearly all of them take this kernel, and all give the reference's bytes."""
    models = dict(islice(MODELS.items(), 0, None, PARTS[part]))
    used = [name for name, model in models.items() if KERNEL in kernel_of(model, part)]
    assert len(used) > 0.8 * len(models)
    cases = {name: of_ends(model) for name, model in (models | {"wraps": WRAPS}).items()}
    assert not wrong_in_c(cases, part, folder=tmp_path)


@pytest.mark.parametrize("part", ["nrf52840", "riscv32imc", "xtensa_lx6"])
def test_pieces(part: str, tmp_path: Path) -> None:
    """Rows that are made in two pieces, of any number of pixels."""
    some = islice(MODELS.items(), 1, None, 4)
    cases = {
        f"{name}_in_pieces": of_ends(model)
        for name, model in some
        if KERNEL in kernel_of(model, part)
    }
    assert_rows_in_pieces(cases, part, folder=tmp_path)


@pytest.mark.parametrize("part", ["nrf52840", "riscv32imc"])
def test_windows_outside(part: str, tmp_path: Path) -> None:
    """Whole windows are outside, on each side, where a border becomes padding."""
    pairs = ((0, 0), (6, 7), (8, 6), (0, 0))
    model = behind_pad(depthwise, image=(1, 3, 3, 4), pairs=pairs, depth_multiplier=2)
    request = Request(build_model(model), "outside", load_target(part))
    assert KERNEL in compile_model(request).files["outside.c"]
    assert not wrong_in_c({"outside": of_ends(model)}, part, folder=tmp_path)
