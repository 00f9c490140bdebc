"""Values of two tensors, and of a pool's windows, by vectors: every end of a loop equals TFLM's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path

import pytest

from tests.ops.test_cases import wrong_in_c
from tests.ops.test_weight_pairs import of_ends
from tests.ops.test_weight_vectors import PART, kernel_of
from tests.support.in_pieces import assert_vector_in_pieces
from tinyml_rules.arithmetic.fixed_point import Activation
from tinyml_rules.ops._shared.cases.case import Case, random_case
from tinyml_rules.ops._shared.cases.pairs import every_pair, pair
from tinyml_rules.ops._shared.cases.pooling import pool
from tinyml_rules.ops._shared.spatial import Padding
from tinyml_rules.ops.average_pool_2d import MOST_CELLS
from tinyml_rules.ops.conv_2d.cases import conv

SUMS = ((0.3, 0.2, 0.4), (0.2, 0.3, 0.4), (0.25, 0.25, 0.5), (0.5, 0.125, 1.0), (0.01, 2.0, 1.0))
PRODUCTS = ((0.03, 0.2, 0.4), (0.25, 0.25, 0.5), (0.5, 0.5, 8.0), (0.001, 0.7, 0.01))
ZERO_POINTS = ((0, 0, 0), (90, -100, 3), (-128, 127, -128))
VALUES = (*range(-128, 128, 5), 127)
CHANNELS = (8, 9, 15, 16, 17, 31, 32, 33, 41, 64)


def _of_two() -> Iterator[tuple[str, Case]]:
    """Numbers of values, and every pair of values of some scales: ties, ends, clamps."""
    for operator, scales in (("ADD", SUMS), ("SUB", SUMS), ("MUL", PRODUCTS)):
        for count in range(1, 10):
            model = pair(operator, "int8", (count,), (count,), scales=scales[0])
            yield f"{operator}_{count}".lower(), random_case(model)
        for number, (each, zero_points) in enumerate(product(scales, ZERO_POINTS)):
            activation = (Activation.NONE, Activation.RELU, Activation.RELU6)[number % 3]
            model = pair(
                operator,
                "int8",
                (1, 257),
                (1, 257),
                scales=each,
                zero_points=zero_points,
                options={"FusedActivationFunction": int(activation)},
            )
            yield f"{operator}_every_{number}".lower(), every_pair(model, VALUES)


def _pools() -> Iterator[tuple[str, Case]]:
    """Channels, windows, borders; the most cells whose sum fits 16 bits, all of them at an end."""
    for operator in ("AVERAGE_POOL_2D", "MAX_POOL_2D"):
        for number, channels in enumerate(CHANNELS):
            window = ((3, 3), (2, 2), (1, 4), (4, 1), (3, 5))[number % 5]
            for padding in Padding:
                strides = (1 + number % 2, 1 + number % 3)
                image = (1, 5, 6, channels)
                model = pool(operator, image, window, strides=strides, padding=padding)
                yield f"{operator}_{channels}_{padding.name}".lower(), of_ends(model)
        for columns in (1, 64, MOST_CELLS):
            model = pool(operator, (1, 1, columns, 9), (1, columns), padding=Padding.VALID)
            yield f"{operator}_of_{columns}".lower(), of_ends(model)


@pytest.mark.parametrize("operator", ["add", "sub", "mul"])
def test_values(operator: str, tmp_path: Path) -> None:
    """All of them take such a kernel, and give the reference's bytes."""
    cases = {name: case for name, case in _of_two() if name.startswith(operator)}
    others = [name for name, case in cases.items() if "vectors" not in kernel_of(case.model)]
    assert not others
    assert not wrong_in_c(cases, PART, folder=tmp_path)


@pytest.mark.parametrize("operator", ["average_pool_2d", "max_pool_2d"])
def test_pools(operator: str, tmp_path: Path) -> None:
    """The same of pools."""
    cases = {name: case for name, case in _pools() if name.startswith(operator)}
    others = [name for name, case in cases.items() if "vectors" not in kernel_of(case.model)]
    assert not others
    assert not wrong_in_c(cases, PART, folder=tmp_path)


def test_more_cells() -> None:
    """One more takes another kernel."""
    cells = MOST_CELLS + 1
    model = pool("AVERAGE_POOL_2D", (1, 1, cells, 9), (1, cells), padding=Padding.VALID)
    assert kernel_of(model) == "average_pool_2d_of_any"


PIECES: Mapping[str, tuple[int, int, int]] = {
    "groups": (5, 4, 41),
    "many": (2, 300, 8),
    "few": (3, 3, 3),
}
"""Images: height, width, channels."""


@pytest.mark.parametrize("image", PIECES)
def test_pieces(image: str, tmp_path: Path) -> None:
    """An image that comes row by row."""
    height, width, channels = PIECES[image]
    first = conv((1, height, width, 2), (1, 1), outputs=channels)
    result = first.tensors[first.outputs[0]]
    layer = pool(
        "AVERAGE_POOL_2D",
        (1, height, width, channels),
        (height, width),
        padding=Padding.VALID,
        zero_point=result.zero_points[0],
    )
    assert_vector_in_pieces(
        of_ends(first), layer, PART, "average_pool_2d_vector_rows", folder=tmp_path
    )
