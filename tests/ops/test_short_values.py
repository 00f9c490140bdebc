"""Values of 16 bits: every residue of the loops of tiles, and ends, equal TFLM's on each core."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.ops.test_cases import wrong_in_c
from tests.ops.test_weight_pairs import kernel_of, sums_of
from tests.support.unmeasured import take_wherever_they_can
from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.case import Case, random_case
from tinyml_rules.ops._shared.cases.int16x8 import in_16_bits
from tinyml_rules.ops.conv_2d.cases import conv
from tinyml_rules.ops.fully_connected.cases import dense

PARTS = {
    "nrf52840": 4,
    "mps3_an547": 4,
    "lm3s6965": 4,
    "nrf51": 8,
    "riscv32imc": 4,
}
"""One of each core that has a tile, and how many channels it sums for at a time."""
TILE = "_by_1_int16"
"""In the names of such kernels."""


@pytest.fixture(autouse=True)
def of_any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small layers, too, for which plain kernels are as fast."""
    take_wherever_they_can(monkeypatch, TILE)


def of_ends(model: ModelSpec) -> Case:
    """Random values, and both ends of int16 everywhere and in turn."""
    case = random_case(model)
    (samples,) = case.samples
    ends = np.full((3, *samples.shape[1:]), -32768, np.int16)
    ends[1], ends[2].flat[::2] = 32767, 32767
    return replace(case, samples=(np.concatenate([samples, ends]),))


def _bias(number: int) -> dict[str, Any]:
    """By turns: of 64 bits, for sums of 32, and of 32 bits."""
    return {"bias": "int32" if number % 3 == 2 else "int64", "times": (1, 256)[number % 2]}


def _pixels(least: int) -> Iterator[tuple[str, ModelSpec]]:
    """Every number of values around the loops, with every number of outputs."""
    shapes = [(values, least + values % 6, 1 + values % 3) for values in range(1, 20)]
    shapes += [(values, least + 1, 2) for values in (31, 32, 33, 63, 64, 65, 255, 256, 257, 258)]
    for number, (values, outputs, width) in enumerate(shapes):
        how = sums_of(outputs, values, number)
        model = conv((1, 1 + number % 2, width, values), (1, 1), outputs=outputs, **how)
        yield f"pixels_{values}_{outputs}", in_16_bits(model, **_bias(number))


def _windows(least: int) -> Iterator[tuple[str, ModelSpec]]:
    """Inside the image and beyond its border, dilated too."""
    for number, channels in enumerate((1, 2, 3, 4, 5, 9)):
        outputs, dilation = least + number % 5, 1 + number % 2
        model = conv(
            (1, 4, 3 + number, channels),
            (3, 3) if number % 3 else (2, 4),
            outputs=outputs,
            dilations=(dilation, dilation),
            strides=(1, 1 + number % 2),
            **sums_of(outputs, (9 if number % 3 else 8) * channels, number),
        )
        yield f"window_{channels}_{outputs}", in_16_bits(model, **_bias(number))


def _vectors(least: int) -> Iterator[tuple[str, ModelSpec]]:
    """Several of an odd number of values, so that each begins at another place within a word."""
    for number, values in enumerate((*range(1, 10), 15, 17, 255, 256, 257, 258)):
        outputs = least + number % 4
        how = {**sums_of(outputs, values, number), "is_per_axis": number % 2 == 1}
        model = dense((3, values), (3, outputs), **how)
        yield f"vectors_{values}_{outputs}", in_16_bits(model, **_bias(number))


def models(least: int) -> Mapping[str, ModelSpec]:
    """For a part that sums for `least` channels at a time."""
    return dict([*_pixels(least), *_windows(least), *_vectors(least)])


@pytest.mark.parametrize("part", PARTS)
def test_equals_tflm(part: str, tmp_path: Path) -> None:
    """All of them take a tile, and all give the reference's bytes."""
    every = models(PARTS[part])
    assert not [model for model in every.values() if TILE not in kernel_of(model, part)]
    cases = {name: of_ends(model) for name, model in every.items()}
    assert not wrong_in_c(cases, part, folder=tmp_path)
