"""Sums of some channels and some pixels at a time: every residue of the loops equals TFLM's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.ops.test_cases import wrong_in_c
from tests.ops.test_weight_pairs import kernel_of, of_ends, sums_of
from tests.support.in_pieces import assert_rows_in_pieces, assert_vector_in_pieces
from tests.support.unmeasured import take_wherever_they_can
from tinyml_rules.cores.in_groups import in_groups
from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.weighted import WRAPPING_FACTOR, wrapping
from tinyml_rules.ops.conv_2d.cases import conv
from tinyml_rules.ops.fully_connected.cases import dense

PARTS = {"riscv32imc": 4, "lm3s6965": 4, "nrf51": 8}
"""And how many channels they sum for at a time."""
BLOCK = "_by_"
"""In the names of such kernels."""


@pytest.fixture(autouse=True)
def of_any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small layers, too, for which other kernels are as fast."""
    take_wherever_they_can(monkeypatch, BLOCK)


def _pixels(least: int) -> Iterator[tuple[str, ModelSpec]]:
    """Every number of values with every number of pixels, and with every number of channels."""
    shapes = [(values, least + values % 6, 1 + values % 9) for values in range(1, 18)]
    shapes += [(5, outputs, 5) for outputs in range(8, 18)]
    shapes += [(7, 8, width) for width in range(1, 18)]
    shapes += [(values, 9, 6) for values in (31, 32, 33, 64, 127, 128, 129, 256)]
    for number, (values, outputs, width) in enumerate(shapes):
        image = (1, 1 + number % 2, width, values)
        model = conv(image, (1, 1), outputs=outputs, **sums_of(outputs, values, number))
        yield f"pixels_{values}_{outputs}_{width}", model


def windows(least: int) -> Iterator[tuple[str, ModelSpec]]:
    """(name, model) of windows of images of any width, with so many outputs and up to five more."""
    for width in range(1, 18):
        outputs, channels = least + width % 6, 1 + width % 5
        window, dilation = ((3, 3), 1 + width % 2) if width % 3 else ((1, 4), 1)
        values = window[0] * window[1] * channels
        model = conv(
            (1, 3, width, channels),
            window,
            outputs=outputs,
            dilations=(dilation, dilation),
            strides=(1, 1 + width % 3),
            **sums_of(outputs, values, width),
        )
        yield f"window_{width}_{channels}_{outputs}_{dilation}", model


def _vectors(least: int) -> Iterator[tuple[str, ModelSpec]]:
    for number, values in enumerate((*range(8, 18), 31, 32, 33, 64, 128, 515)):
        outputs, vectors = least + number % 4, 1 + number % 3
        sums = {**sums_of(outputs, values, number), "is_per_axis": number % 2 == 1}
        yield f"vectors_{values}", dense((vectors, values), (vectors, outputs), **sums)


def _bounds(least: int) -> Iterator[tuple[str, ModelSpec]]:
    """The largest products, and sums that wrap."""
    for values in (16, 1024):
        ends = [[-128], [127]] * (least // 2) * np.ones((1, values), np.int8)
        sums: dict[str, Any] = {"values": ends, "factor": 2.0**-17, "is_per_axis": False}
        yield f"bound_{values}", conv((1, 1, 3, values), (1, 1), outputs=least, **sums)
        yield f"bound_of_vector_{values}", dense((1, values), (1, least), **sums)
        image = conv((1, 2, 3, values), (1, 1), outputs=least, factor=WRAPPING_FACTOR)
        yield f"wraps_{values}", wrapping(image)


def models(least: int) -> Mapping[str, ModelSpec]:
    """For a part that sums for `least` channels at a time."""
    return dict([*_pixels(least), *windows(least)])


@pytest.mark.parametrize("part", PARTS)
def test_equals_tflm(part: str, tmp_path: Path) -> None:
    """Nearly all of them take such a kernel, and all give the reference's bytes."""
    every = models(PARTS[part])
    used = [name for name, model in every.items() if BLOCK in kernel_of(model, part)]
    assert len(used) > 0.9 * len(every)
    cases = {name: of_ends(model) for name, model in every.items()}
    assert not wrong_in_c(cases, part, folder=tmp_path)


@pytest.mark.parametrize("part", ["lm3s6965", "nrf51"])
def test_vectors_and_bounds(part: str, tmp_path: Path) -> None:
    """All of them take a kernel of some outputs at a time."""
    every = dict([*_vectors(PARTS[part]), *_bounds(PARTS[part])])
    assert not [name for name, model in every.items() if BLOCK not in kernel_of(model, part)]
    cases = {name: of_ends(model) for name, model in every.items()}
    assert not wrong_in_c(cases, part, folder=tmp_path)


@pytest.mark.parametrize("part", ["lm3s6965", "nrf51"])
@pytest.mark.parametrize("outputs", [8, 11])
def test_pieces_of_vector(part: str, outputs: int, tmp_path: Path) -> None:
    """A vector that comes in pieces of any length."""
    first = conv((1, 9, 5, 2), outputs=3)
    layer = dense((1, 9, 5, 3), (1, outputs), input_count=135)
    assert_vector_in_pieces(
        of_ends(first), layer, part, f"{PARTS[part]}_by_1_rows", folder=tmp_path
    )


@pytest.mark.parametrize("part", PARTS)
def test_pieces(part: str, tmp_path: Path) -> None:
    """Rows that are made in two pieces, of any number of pixels."""
    models = {f"{name}_in_pieces": model for name, model in windows(PARTS[part])}
    cases = {name: of_ends(model) for name, model in models.items()}
    assert_rows_in_pieces(cases, part, folder=tmp_path)


@pytest.mark.parametrize("outputs", [4, 5, 7, 8, 11])
def test_order_of_weights(outputs: int) -> None:
    """Those of four outputs input after input, then rows."""
    matrix = np.arange(outputs * 3).reshape(outputs, 3)
    found = in_groups(matrix, 4)
    whole = outputs // 4 * 4
    for output, row in enumerate(matrix):
        at = 3 * output
        expected = (
            found[output // 4 * 12 + output % 4 :: 4][:3] if output < whole else found[at : at + 3]
        )
        assert np.array_equal(row, expected)
