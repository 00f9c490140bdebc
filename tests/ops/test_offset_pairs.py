"""Weights of two outputs in one number with an offset: every residue of the loops, ends and ties
equal TFLM's on both of Xtensa's cores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.ops.test_cases import wrong_in_c
from tests.ops.test_depthwise_along_row import sums_of as sums_of_channels
from tests.ops.test_weight_pairs import of_ends, sums_of
from tests.support.chained import chained
from tests.support.combined import target_or_skip
from tests.support.in_pieces import assert_vector_in_pieces
from tests.support.stages import selected
from tests.support.tflm import tflm_outputs
from tinyml_rules.compiler import compile_model
from tinyml_rules.cores.mul16s.order import (
    fit_offset_pairs,
    from_offset_pairs,
    in_offset_pairs,
)
from tinyml_rules.model_file.writer import ModelSpec, build_model
from tinyml_rules.ops._shared.spatial import Padding
from tinyml_rules.ops.conv_2d.cases import conv
from tinyml_rules.ops.depthwise_conv_2d.cases import depthwise
from tinyml_rules.ops.fully_connected.cases import dense
from tinyml_rules.request.request import Request
from tinyml_rules.runners.model import run_model
from tinyml_rules.target.target import load_target

PARTS = ("xtensa_lx6", "esp8266")


def _pixels() -> Iterator[tuple[str, ModelSpec]]:
    shapes = [(values, 8) for values in (9, 10, 11, 16, 17, 20, 29, 64, 72, 128, 144, 216, 260)]
    shapes += [(values, 4) for values in (9, 64, 67, 256)]
    for number, (values, outputs) in enumerate(shapes):
        image = (1, 1 + number % 2, 2 + number % 7, values)
        model = conv(image, (1, 1), outputs=outputs, **sums_of(outputs, values, number))
        yield f"pixels_{values}_{outputs}_{image[2]}", model


def _windows() -> Iterator[tuple[str, ModelSpec]]:
    for number, channels in enumerate((3, 5, 6, 7, 8, 21, 43)):
        dilations = (2, 2) if number % 3 == 2 else (1, 1)
        image = (1, 3, 3 + 2 * number, channels)
        sums = sums_of(8, 3 * channels, number)
        model = conv(image, (1, 3), outputs=8, dilations=dilations, **sums)
        yield f"window_{channels}_{image[2]}_{dilations[0]}", model
    for number, window in enumerate(((3, 3), (5, 3), (10, 4))):
        sums = sums_of(8, window[0] * window[1], number)
        model = conv((1, 12, 9, 1), window, outputs=8, strides=(2, 2), **sums)
        yield f"window_{window[0]}", model
    sums = sums_of(8, 3 * 67, 1)
    yield "window_of_column", conv((1, 4, 1, 67), (3, 1), outputs=8, **sums)


def _rests() -> Iterator[tuple[str, ModelSpec]]:
    """Outputs that are no whole groups, of which weights of 0 fill up the last."""
    for number, (values, outputs) in enumerate(((67, 5), (67, 6), (21, 7), (16, 9), (21, 3))):
        image = (1, 1 + number % 2, 2 + 3 * number % 7, values)
        model = conv(image, (1, 1), outputs=outputs, **sums_of(outputs, values, number))
        yield f"rest_{values}_{outputs}", model
    for number, (channels, outputs) in enumerate(((3, 7), (5, 11), (13, 3), (3, 6), (6, 9))):
        dilations = (2, 2) if number % 2 else (1, 1)
        sums = sums_of(outputs, 9 * channels, number)
        image = (1, 4, 3 + number, channels)
        model = conv(image, (3, 3), outputs=outputs, dilations=dilations, **sums)
        yield f"rest_of_window_{channels}_{outputs}", model


def _vectors() -> Iterator[tuple[str, ModelSpec]]:
    counts = (8, 9, 16, 17, 18, 19, 64, 156, 159, 160, 161, 164, 255, 256, 257, 320, 513)
    for number, values in enumerate(counts):
        outputs = (8, 12, 32, 36)[number % 4]
        vectors = 1 + number % 3
        sums = {**sums_of(outputs, values, number), "is_per_axis": number % 2 == 1}
        yield f"vectors_{values}", dense((vectors, values), (vectors, outputs), **sums)


def _bounds() -> Iterator[tuple[str, ModelSpec]]:
    """Parts of a sum that come close to 2^23, which inputs of 127 and weights of -128 make."""
    column = np.array([[127], [-128], [-128], [127]], np.int8)
    for values in (256, 1024):
        ends = column * np.ones((1, values), np.int8)
        sums: dict[str, Any] = {"values": ends, "factor": 2.0**-17, "is_per_axis": False}
        yield f"bound_{values}", dense((1, values), (1, 4), **sums)
    yield (
        "bound_of_pixel",
        conv(
            (1, 1, 3, 256),
            (1, 1),
            outputs=4,
            values=ends[:, :256],
            factor=2.0**-17,
            is_per_axis=False,
        ),
    )


def _columns() -> Iterator[tuple[str, ModelSpec]]:
    shapes = [(3, 1), (3, 3), (4, 2), (5, 3), (6, 4), (7, 5), (23, 2), (24, 2), (25, 2), (49, 3)]
    for number, (width, height) in enumerate(shapes):
        channels = 2 + number % 5
        for stride in (1, 2):
            padding = Padding.SAME if (number + stride) % 3 else Padding.VALID
            size = width * stride + (2 if padding is Padding.VALID else 0)
            rows = max(height, 3) if padding is Padding.VALID else height
            sums = {**sums_of_channels(channels, number + 3 * stride)}
            image = (1, rows, size, channels)
            model = depthwise(image, strides=(1 + number % 2, stride), padding=padding, **sums)
            yield f"columns_{width}_{height}_{stride}", model


MODELS: Mapping[str, ModelSpec] = dict(
    [*_pixels(), *_windows(), *_rests(), *_vectors(), *_bounds(), *_columns()]
)


def _kernel_of(model: ModelSpec, part: str) -> str:
    (step,) = selected(model, features=load_target(part).features).steps
    return step.kernel.name


@pytest.mark.parametrize("part", PARTS)
def test_equals_tflm(part: str, tmp_path: Path) -> None:
    """All but some with columns take such a kernel, and all give the reference's bytes."""
    rests = [name for name in MODELS if name.startswith("rest")]
    assert not [name for name in rests if "_rest" not in _kernel_of(MODELS[name], part)]
    others = [name for name, model in MODELS.items() if "offset" not in _kernel_of(model, part)]
    assert not [name for name in others if not name.startswith(("columns", "bound"))]
    cases = {name: of_ends(model) for name, model in MODELS.items()}
    assert not wrong_in_c(cases, part, folder=tmp_path)


@pytest.mark.parametrize("part", PARTS)
def test_columns_are_taken(part: str) -> None:
    """Most depthwise models here take the kernel of columns."""
    names = [name for name in MODELS if name.startswith("columns")]
    taken = [name for name in names if "columns" in _kernel_of(MODELS[name], part)]
    assert len(taken) > len(names) / 2, sorted(set(names) - set(taken))


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("width", [3, 5])
def test_pieces(part: str, width: int, tmp_path: Path) -> None:
    """A vector that comes in pieces, which begin and end within four values."""
    first = conv((1, 9, width, 2), outputs=3)
    values = 9 * width * 3
    layer = dense((1, 9, width, 3), (1, 8), input_count=values, **sums_of(8, values, width))
    assert_vector_in_pieces(
        of_ends(first), layer, part, "fully_connected_offset_pairs", folder=tmp_path
    )


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("stride", [1, 2])
def test_pieces_of_rows(part: str, stride: int, tmp_path: Path) -> None:
    """Rows that are made in two pieces, as checked builds make all of them."""
    first = conv((1, 6, 9, 3), (3, 3), outputs=8, **sums_of(8, 27, 3))
    second = depthwise((1, 6, 9, 8), strides=(1, stride), **sums_of_channels(8, 3))
    file = build_model(chained(first, second))
    target = target_or_skip(part)
    compiled = compile_model(Request(file, "model", target, checked=True))
    assert "conv_2d_offset_patch" in compiled.files["model.c"]
    assert f"columns_by_{stride}" in compiled.files["model.c"]
    (samples,) = of_ends(first).samples
    (expected,) = tflm_outputs(file, [samples])
    outcome = run_model(compiled, target, samples.tobytes(), folder=tmp_path)
    assert outcome.output == expected.tobytes()


def test_round_trip() -> None:
    """Weights come back from their words, -128 beside any other too."""
    random = np.random.default_rng(1)
    for outputs in (4, 8, 12):
        for values in range(1, 14):
            matrix = random.choice((-128, -1, 0, 127), (outputs, values)).astype(np.int8)
            assert np.array_equal(
                from_offset_pairs(in_offset_pairs(matrix), outputs, values), matrix
            )


@pytest.mark.parametrize(("values", "fits"), [(256, True), (257, True), (258, False)])
def test_bound(values: int, fits: bool) -> None:
    """255 * 128 * 257 is still below 2^23."""
    matrix = np.zeros((4, values), np.int8)
    matrix[1] = -128
    assert fit_offset_pairs(matrix) is fits
    matrix[0], matrix[1] = -128, 0
    assert fit_offset_pairs(matrix)
