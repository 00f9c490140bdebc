"""Sums of some channels and some pixels at a time: every residue of the loops equals TFLM's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import pytest

from tests.ops.test_cases import wrong_in_c
from tests.ops.test_weight_pairs import kernel_of, of_ends, sums_of
from tests.support.combined import Job, run_combined, target_or_skip
from tests.support.operator_cases import expected_bytes, file_of, graph_of, sample_bytes
from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.in_groups import in_groups
from tinyml_rules.ops.conv_2d import blocks
from tinyml_rules.ops.conv_2d.cases import conv

PARTS = ("riscv32imc",)
BLOCK = "_by_"
"""In the names of such kernels."""


def _pixels() -> Iterator[tuple[str, ModelSpec]]:
    """Every number of values with every number of pixels, and with every number of channels."""
    shapes = [(values, 4 + values % 6, 1 + values % 9) for values in range(1, 18)]
    shapes += [(5, outputs, 5) for outputs in range(8, 18)]
    shapes += [(7, 8, width) for width in range(1, 18)]
    shapes += [(values, 9, 6) for values in (31, 32, 33, 64, 127, 128, 129, 256)]
    for number, (values, outputs, width) in enumerate(shapes):
        image = (1, 1 + number % 2, width, values)
        model = conv(image, (1, 1), outputs=outputs, **sums_of(outputs, values, number))
        yield f"pixels_{values}_{outputs}_{width}", model


def _windows() -> Iterator[tuple[str, ModelSpec]]:
    for width in range(1, 18):
        outputs, channels = 4 + width % 6, 1 + width % 5
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


@pytest.fixture(autouse=True)
def of_any_shape(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small layers, too, for which other kernels are faster."""
    for name in ("_LEAST_VALUES", "_LEAST_OF_NARROW", "_LEAST_OF_COLUMN", "_LEAST_OUTPUTS"):
        monkeypatch.setattr(blocks, name, 1)


MODELS: Mapping[str, ModelSpec] = dict([*_pixels(), *_windows()])


@pytest.mark.parametrize("part", PARTS)
def test_equals_tflm(part: str, tmp_path: Path) -> None:
    """Nearly all of them take such a kernel, and all give the reference's bytes."""
    used = [name for name, model in MODELS.items() if BLOCK in kernel_of(model, part)]
    assert len(used) > 0.9 * len(MODELS)
    cases = {name: of_ends(model) for name, model in MODELS.items()}
    assert not wrong_in_c(cases, part, folder=tmp_path)


@pytest.mark.parametrize("part", PARTS)
def test_pieces(part: str, tmp_path: Path) -> None:
    """Rows that are made in two pieces, of any number of pixels."""
    models = {f"{name}_in_pieces": model for name, model in _windows()}
    cases = {name: of_ends(model) for name, model in models.items()}
    graphs = {name: graph_of(case, name=name) for name, case in cases.items()}
    jobs = [
        Job(name, file_of(case), sample_bytes(case, graphs[name])) for name, case in cases.items()
    ]
    outputs = run_combined(target_or_skip(part), jobs, folder=tmp_path, is_checked=True)
    assert outputs == {name: expected_bytes(case) for name, case in cases.items()}


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
