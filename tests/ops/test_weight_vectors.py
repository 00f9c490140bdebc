"""Weights in vectors of sixteen inputs: every residue of the loops, ends and ties equal TFLM's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from tests.ops.test_cases import wrong_in_c
from tests.ops.test_weight_pairs import TIES, of_ends
from tests.support.in_pieces import assert_rows_in_pieces, assert_vector_in_pieces
from tests.support.stages import selected
from tinyml_rules.arithmetic.fixed_point import Activation
from tinyml_rules.cores.mve.order import from_vectors, in_vectors
from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.spatial import Padding
from tinyml_rules.ops.conv_2d.cases import conv
from tinyml_rules.ops.fully_connected.cases import dense
from tinyml_rules.target.target import load_target

PART = "mps3_an547"


def weights(outputs: int, values: int) -> npt.NDArray[np.int8]:
    """Random ones, half of them the ends of their range."""
    random = np.random.default_rng(outputs + values)
    ends = random.choice((-128, -127, 127), (outputs, values))
    is_end = random.integers(0, 2, (outputs, values)) == 1
    return np.where(is_end, ends, random.integers(-128, 128, (outputs, values))).astype(np.int8)


def sums_of(number: int) -> dict[str, Any]:
    """Quantization of a layer: ties, large biases, clamps, sums of any size, in turn."""
    more: tuple[dict[str, Any], ...] = (
        {"factor": TIES[number % len(TIES)], "zero_points": (0, 0)},
        {"bias_size": 2**19, "factor": 2.0**-12},
        {"activation": Activation.RELU, "zero_points": (-128, -128)},
        {"activation": Activation.RELU6, "zero_points": (127, -100), "factor": 2.0**-7},
        {"factor": 0.7, "bias_size": 100},
        {"factor": 1.4, "bias_size": 100},
        {},
    )
    return more[number % len(more)]


def _pixels() -> Iterator[tuple[str, ModelSpec]]:
    shapes = [(values, 4 + values % 5) for values in (*range(1, 36), 47, 48, 49, 64, 127, 128, 640)]
    for number, (values, outputs) in enumerate(shapes):
        image = (1, 1 + number % 2, 1 + number % 3, values)
        matrix = weights(outputs, values)
        sums = {"is_per_axis": number % 2 == 1, **sums_of(number)}
        yield (
            f"pixels_{values}_{outputs}",
            conv(image, (1, 1), outputs=outputs, values=matrix, **sums),
        )


def _windows() -> Iterator[tuple[str, ModelSpec]]:
    windows = [(3, 3), (1, 5), (5, 1), (10, 4), (2, 2)]
    widths = (1, 2, 3, 5, 9, 31)
    for number in range(66):
        channels = (1, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17)[number % 12]
        height, width = windows[number % 5]
        image = (1, 2 + number % 4, widths[number % 6] + number % 2, channels)
        strides = (1 + number % 2, 1 + number % 3)
        dilations = (1, 2) if number % 11 == 3 else (1, 1)
        outputs = 4 + number % 5
        yield (
            f"windows_{number}_{channels}",
            conv(
                image,
                (height, width),
                outputs=outputs,
                padding=Padding.SAME,
                strides=strides if dilations == (1, 1) else (1, 1),
                dilations=dilations,
                values=weights(outputs, height * width * channels),
                **sums_of(number),
            ),
        )
    for number, channels in enumerate((1, 3, 16)):
        image = (1, 3, 90 + number, channels)  # more columns than are copied at a time
        values = weights(4, 9 * channels)
        for stride in (1, 2):
            yield (
                f"windows_wide_{channels}_{stride}",
                conv(
                    image,
                    (3, 3),
                    outputs=4,
                    padding=Padding.SAME,
                    strides=(1, stride),
                    values=values,
                ),
            )


def _vectors() -> Iterator[tuple[str, ModelSpec]]:
    for number, values in enumerate((*range(1, 36), 64, 65, 128, 640, 1000)):
        outputs = 4 + number % 6
        vectors = 1 + number % 3
        sums = {"is_per_axis": number % 2 == 1, **sums_of(number)}
        matrix = weights(outputs, values)
        yield (
            f"vectors_{values}",
            dense((vectors, values), (vectors, outputs), values=matrix, **sums),
        )


MODELS: Mapping[str, ModelSpec] = dict([*_pixels(), *_windows(), *_vectors()])


def kernel_of(model: ModelSpec) -> str:
    """The kernel that the part takes for the only layer."""
    (step,) = selected(model, features=load_target(PART).features).steps
    return step.kernel.name


@pytest.mark.parametrize("start", ["pixels", "windows", "vectors"])
def test_equals_tflm(start: str, tmp_path: Path) -> None:
    """All of them take such a kernel, and give the reference's bytes."""
    models = {name: model for name, model in MODELS.items() if name.startswith(start)}
    assert not [name for name, model in models.items() if "vector" not in kernel_of(model)]
    cases = {name: of_ends(model) for name, model in models.items()}
    assert not wrong_in_c(cases, PART, folder=tmp_path)


def test_windows_take_every_kernel() -> None:
    """Columns, patches, and both with gaps."""
    found = {kernel_of(model) for name, model in MODELS.items() if name.startswith("windows")}
    plain = ("columns_vectors", "patch_vectors", "dilated_patch_vectors")
    assert all(any(f"conv_2d_{word}" in name for name in found) for word in plain)


def test_row_pieces(tmp_path: Path) -> None:
    """Rows of windows that are made in two pieces, of any number of pixels."""
    cases = {
        f"{name}_in_pieces": of_ends(model)
        for name, model in MODELS.items()
        if "columns" in kernel_of(model)
    }
    assert_rows_in_pieces(cases, PART, folder=tmp_path)


@pytest.mark.parametrize(("width", "outputs"), [(1, 7), (3, 4), (16, 5)])
def test_pieces(width: int, outputs: int, tmp_path: Path) -> None:
    """A vector that comes in pieces, which begin and end within sixteen values."""
    first = conv((1, 9, width, 2), outputs=3)
    values = 9 * width * 3
    layer = dense(
        (1, 9, width, 3), (1, outputs), input_count=values, values=weights(outputs, values)
    )
    assert_vector_in_pieces(
        of_ends(first), layer, PART, "fully_connected_vectors_rows", folder=tmp_path
    )


def test_round_trip() -> None:
    """Weights come back from their vectors, whatever the numbers of outputs and inputs are."""
    for outputs in range(4, 13):
        for values in range(1, 35):
            matrix = weights(outputs, values)
            assert np.array_equal(from_vectors(in_vectors(matrix), outputs, values), matrix)
