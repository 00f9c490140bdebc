"""Weights of two outputs in one number: every residue of the loops, ends and ties equal TFLM's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from tests.ops.test_cases import wrong_in_c
from tests.support.in_pieces import assert_vector_in_pieces
from tests.support.operator_cases import file_of
from tests.support.stages import selected
from tinyml_rules.arithmetic.fixed_point import Activation
from tinyml_rules.cores.dsp.order import fit_pairs, from_pairs, in_pairs
from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.case import Case, random_case
from tinyml_rules.ops.conv_2d.cases import conv
from tinyml_rules.ops.fully_connected.cases import dense
from tinyml_rules.target.target import load_target

PART, DUAL_ISSUE = "nrf52840", "atsamv71"
TIES = (2.0**-7, 0.75 * 2.0**-8, 2.0**-12)
"""Factors of multipliers 2^30 and 3 * 2^29."""
BLOCK = 496
"""Products between which the sums of a pair are parted."""


def weights(outputs: int, values: int) -> npt.NDArray[np.int8]:
    """Random ones, half of them the ends of their range; -128 only where it makes a number of 16
    bits, second in a pair beside one that is not below zero."""
    random = np.random.default_rng(outputs + values)
    ends = random.choice((-127, 127), (outputs, values))
    is_end = random.integers(0, 2, (outputs, values)) == 1
    found = np.where(is_end, ends, random.integers(-127, 128, (outputs, values))).astype(np.int8)
    last = outputs - outputs % 2
    found[1:last:2][found[:last:2] >= 100] = -128
    return found


def of_ends(model: ModelSpec) -> Case:
    """Random values, and both ends of int8 everywhere and in turn."""
    case = random_case(model)
    (samples,) = case.samples
    ends = np.full((3, *samples.shape[1:]), -128, np.int8)
    ends[1], ends[2].flat[::2] = 127, 127
    return replace(case, samples=(np.concatenate([samples, ends]),))


def sums_of(outputs: int, values: int, number: int) -> dict[str, Any]:
    """Weights and quantization of a layer: ties, large biases, a clamp, in turn."""
    more: tuple[dict[str, Any], ...] = (
        {"factor": TIES[number % len(TIES)], "zero_points": (0, 0)},
        {"bias_size": 2**19, "factor": 2.0**-12},
        {"activation": Activation.RELU, "zero_points": (-128, -128)},
        {},
    )
    return {"values": weights(outputs, values), "is_per_axis": False, **more[number % len(more)]}


def _pixels() -> Iterator[tuple[str, ModelSpec]]:
    counts = (8, 12, 16, 20, *range(24, 41), 64, 100, 124, 127, 128)
    shapes = [(values, 8) for values in counts]
    shapes += [(values, 4) for values in (12, 16, 20, 24, 28)]
    shapes += [(values, 4) for values in (*range(129, 138), 495, 496, 497, 500, 512, 1000)]
    shapes += [(values, outputs) for values in (64, 67) for outputs in (9, 10, 11, 13)]
    shapes += [(64, outputs) for outputs in (5, 6, 7)]
    for number, (values, outputs) in enumerate(shapes):
        is_narrow = number % 5 == 0 and values % 4 == 0 and values >= 24
        image = (1, 1 + number % 2, 1 if is_narrow else 2 + number % 4, values)
        model = conv(image, (1, 1), outputs=outputs, **sums_of(outputs, values, number))
        yield f"pixels_{values}_{outputs}_{image[2]}", model


def _windows() -> Iterator[tuple[str, ModelSpec]]:
    shapes = [(channels, outputs) for channels in range(3, 13) for outputs in (4, 8)]
    shapes += [(channels, outputs) for channels in (22, 23, 41, 42, 43) for outputs in (6, 8, 9)]
    for number, (channels, outputs) in enumerate(shapes):
        dilations = (2, 2) if number % 3 == 2 else (1, 1)
        image = (1, 3, 3 + number % 4, channels)
        sums = sums_of(outputs, 3 * channels, number)
        model = conv(image, (1, 3), outputs=outputs, dilations=dilations, **sums)
        yield f"window_{channels}_{outputs}_{image[2]}_{dilations[0]}", model
    for number, channels in enumerate((3, 4, 5, 8, 43)):
        sums = sums_of(8, 3 * channels, number)
        yield f"window_of_column_{channels}", conv((1, 4, 1, channels), (3, 1), outputs=8, **sums)


def _rows() -> Iterator[tuple[str, ModelSpec]]:
    """Windows of several rows, over all edges: what is widened may lie where it is written."""
    for number, channels in enumerate((3, 4, 5, 6, 8)):
        for width in (2, 3, 5):
            image, window = (1, 4, width + number, channels), (2 + number % 2, width)
            sums = sums_of(8, window[0] * width * channels, number + width)
            model = conv(image, window, outputs=8, strides=(1, 1 + number % 2), **sums)
            yield f"rows_{channels}_{width}", model


def _vectors() -> Iterator[tuple[str, ModelSpec]]:
    counts = (8, 12, 16, *range(20, 38), 64, 65, BLOCK - 1, BLOCK, BLOCK + 1, 512, 515, 2 * BLOCK)
    for number, values in enumerate(counts):
        outputs = -(-256 // values) + number % 5 + 4
        vectors = 1 + number % 3
        sums = {**sums_of(outputs, values, number), "is_per_axis": number % 2 == 1}
        yield f"vectors_{values}", dense((vectors, values), (vectors, outputs), **sums)


def _bounds() -> Iterator[tuple[str, ModelSpec]]:
    """Sums of the second of a pair up to 2^23 and beyond, which inputs of -128 make."""
    for values in (BLOCK, 511, 512, 1024):
        ends = [[127], [-128], [0], [-128]] * np.ones((1, values), np.int8)
        sums: dict[str, Any] = {"values": ends, "factor": 2.0**-17, "is_per_axis": False}
        yield f"bound_{values}", dense((1, values), (1, 4), **sums)
        yield f"bound_of_pixel_{values}", conv((1, 1, 2, values), (1, 1), outputs=4, **sums)


_ALL = (*_pixels(), *_windows(), *_rows(), *_vectors(), *_bounds())
MODELS: Mapping[str, ModelSpec] = dict(_ALL)


def kernel_of(model: ModelSpec, part: str = PART) -> str:
    """The kernel that the part takes for the only layer."""
    (step,) = selected(model, features=load_target(part).features).steps
    return step.kernel.name


@pytest.mark.parametrize("part", [PART, DUAL_ISSUE])
@pytest.mark.parametrize("start", ["pixels", "window", "rows", "vectors", "bound"])
def test_equals_tflm(start: str, part: str, tmp_path: Path) -> None:
    """All of them take such a kernel, and give the reference's bytes."""
    models = {name: model for name, model in MODELS.items() if name.startswith(start)}
    assert not [name for name, model in models.items() if "pair" not in kernel_of(model, part)]
    cases = {name: of_ends(model) for name, model in models.items()}
    assert not wrong_in_c(cases, part, folder=tmp_path)


@pytest.mark.parametrize("width", [3, 4, 5])
@pytest.mark.parametrize("outputs", [4, 7])
def test_pieces(width: int, outputs: int, tmp_path: Path) -> None:
    """A vector that comes in pieces, which begin and end within four values."""
    first = conv((1, 9, width, 2), outputs=3)
    values = 9 * width * 3
    layer = dense(
        (1, 9, width, 3), (1, outputs), input_count=values, values=weights(outputs, values)
    )
    assert_vector_in_pieces(
        of_ends(first), layer, PART, "fully_connected_pairs_rows", folder=tmp_path
    )


def test_round_trip() -> None:
    """Weights come back from their words, whatever the numbers of outputs and inputs are."""
    for outputs in range(4, 13):
        for values in range(1, 14):
            matrix = weights(outputs, values)
            assert fit_pairs(matrix)
            assert np.array_equal(from_pairs(in_pairs(matrix), outputs, values), matrix)


@pytest.mark.parametrize(("row", "fits"), [(0, True), (1, False), (4, True)])
def test_lowest_weight(row: int, fits: bool, tmp_path: Path) -> None:
    """-128 beside a weight below zero makes no number of 16 bits: where it is second in a pair, the
    layer takes a kernel without pairs."""
    matrix = np.full((5, 64), -1, np.int8)
    matrix[row, 7] = -128
    models = {
        "dense": dense((1, 64), (1, 5), values=matrix),
        "pixels": conv((1, 1, 3, 64), (1, 1), outputs=5, values=matrix),
    }
    assert {"pair" in kernel_of(model) for model in models.values()} == {fits}
    cases = {name: of_ends(model) for name, model in models.items()}
    assert all(file_of(case) for case in cases.values())
    assert not wrong_in_c(cases, PART, folder=tmp_path)
