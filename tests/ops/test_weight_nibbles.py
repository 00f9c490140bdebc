"""Weights of four bits: every residue of the loops, their ends and ties equal TFLM's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from tests.ops.test_cases import wrong_in_c
from tests.ops.test_weight_pairs import TIES, kernel_of, of_ends
from tests.support.in_pieces import assert_vector_in_pieces
from tests.support.unmeasured import take_wherever_they_can
from tinyml_rules.arithmetic.fixed_point import Activation
from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops.conv_2d.cases import conv
from tinyml_rules.ops.fully_connected.cases import dense

PARTS = ("nrf51", "lm3s6965", "riscv32imc", "nrf52840")
TILE = "nibbles_"
"""In the names of such kernels."""


@pytest.fixture(autouse=True)
def of_any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small layers, too, for which other kernels are as fast."""
    take_wherever_they_can(monkeypatch, TILE)


def weights(outputs: int, values: int) -> npt.NDArray[np.int8]:
    """Random ones, half of them the ends of their range."""
    random = np.random.default_rng(outputs + values)
    ends = random.choice((-8, 7), (outputs, values))
    is_end = random.integers(0, 2, (outputs, values)) == 1
    return np.where(is_end, ends, random.integers(-8, 8, (outputs, values))).astype(np.int8)


def _sums_of(outputs: int, values: int, number: int) -> dict[str, Any]:
    """Ties, large biases, a clamp, and sums at their end, in turn."""
    more: tuple[dict[str, Any], ...] = (
        {"factor": TIES[number % len(TIES)], "zero_points": (0, 0)},
        {"bias_size": 2**19, "factor": 2.0**-12},
        {"activation": Activation.RELU, "zero_points": (-128, -128)},
        {"values": np.full((outputs, values), -8, np.int8), "factor": 2.0**-12},
        {},
    )
    found = {"values": weights(outputs, values), "is_per_axis": False, "bits": 4}
    return {**found, **more[number % len(more)]}


def _models() -> Iterator[tuple[str, ModelSpec]]:
    """Pixels, windows and vectors: every number of values, of outputs and of pixels."""
    shapes = [(values, 8 + values % 9, 1 + values % 7) for values in (*range(2, 13), 17, 32, 33)]
    shapes += [(values, 9, 3) for values in (63, 64, 65, 511)]
    for number, (values, outputs, width) in enumerate(shapes):
        sums = _sums_of(outputs, values, number)
        image = (1, 1 + number % 2, width, values)
        yield f"pixels_{values}_{outputs}", conv(image, (1, 1), outputs=outputs, **sums)
        vectors, is_per_axis = 1 + number % 3, number % 2 == 1
        sums = {**_sums_of(outputs, values, number + 1), "is_per_axis": is_per_axis}
        if not is_per_axis:  # with weights of four bits, TFLM has no others
            yield f"vectors_{values}", dense((vectors, values), (vectors, outputs), **sums)
    for width in range(1, 7):
        outputs, channels = 8 + width % 6, 1 + width % 5
        dilation = 1 + width % 2
        values = 9 * channels
        yield (
            f"windows_{width}",
            conv(
                (1, 3, width, channels),
                (3, 3),
                outputs=outputs,
                dilations=(dilation, dilation),
                strides=(1, 1 + width % 3),
                **_sums_of(outputs, values, width),
            ),
        )


MODELS = dict(_models())


@pytest.mark.parametrize("part", PARTS)
def test_equals_tflm(part: str, tmp_path: Path) -> None:
    """All of them take such a kernel, and give the reference's bytes."""
    assert not [name for name, model in MODELS.items() if TILE not in kernel_of(model, part)]
    cases = {name: of_ends(model) for name, model in MODELS.items()}
    assert not wrong_in_c(cases, part, folder=tmp_path)


@pytest.mark.parametrize("part", ["nrf51", "nrf52840"])
@pytest.mark.parametrize("outputs", [8, 11])
def test_pieces_of_vector(part: str, outputs: int, tmp_path: Path) -> None:
    """A vector that comes in pieces of any length."""
    first = conv((1, 9, 5, 2), outputs=3)
    layer = dense((1, 9, 5, 3), (1, outputs), input_count=135, values=weights(outputs, 135), bits=4)
    assert_vector_in_pieces(of_ends(first), layer, part, f"{TILE}", folder=tmp_path)
