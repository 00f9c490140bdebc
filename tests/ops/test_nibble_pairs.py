"""Two weights of four bits in a byte on AVR: residues of the loops, ends, ties and shifts equal
TFLM's."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.ops import test_signed_pairs, test_unsigned_pairs
from tests.ops.test_cases import wrong_in_c
from tests.ops.test_unsigned_pairs import PART, all_far, kernel_of
from tests.ops.test_weight_pairs import of_ends
from tests.support.in_pieces import assert_rows_in_pieces
from tests.support.unmeasured import take_wherever_they_can
from tinyml_rules.arithmetic.fixed_point import Activation
from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.case import with_tensor
from tinyml_rules.ops._shared.cases.weighted import of_powers
from tinyml_rules.ops._shared.unsigned_pairs import MOST_OF_NIBBLES
from tinyml_rules.ops.fully_connected import unsigned_pairs
from tinyml_rules.ops.fully_connected.cases import dense
from tinyml_rules.plan import programs

KERNEL = "unsigned"
EVERY = 3
"""So many models of the same with weights of eight bits is one taken of."""


def in_int4(model: ModelSpec) -> ModelSpec:
    """Sixteenths of the weights, 16 times their scales, and biases for smaller sums."""
    weights, bias = model.tensors[1:3]
    assert weights.data is not None
    assert isinstance(bias.data, np.ndarray)
    changed = with_tensor(
        model,
        1,
        dtype="int4",
        data=np.asarray(weights.data, np.int8) >> 4,
        scales=tuple(16 * scale for scale in weights.scales),
    )
    return with_tensor(
        changed,
        2,
        data=np.asarray(bias.data, np.int32) >> 6,
        scales=tuple(16 * scale for scale in bias.scales),
    )


def _models() -> dict[str, ModelSpec]:
    """Of both signs, and shifts alone; FULLY_CONNECTED has one scale in TFLM."""
    found: dict[str, ModelSpec] = {}
    for of in (test_unsigned_pairs, test_signed_pairs):
        for name, model in [*of.MODELS.items()][::EVERY]:
            is_vector = name.startswith("vectors") and len(model.tensors[1].scales) == 1
            if name.startswith(("pixels", "window")) or is_vector:
                short = in_int4(model)
                found[f"{name}_{of.__name__.rpartition('test_')[2]}"] = short
                found[f"{name}_{of.__name__.rpartition('test_')[2]}_shifted"] = of_powers(short)
    return found


MODELS: Mapping[str, ModelSpec] = _models()


@pytest.fixture(autouse=True)
def of_any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few outputs, too, and where speed is not all."""
    for kernel in unsigned_pairs.KERNELS:
        monkeypatch.setitem(vars(kernel), "is_for_speed", False)
    take_wherever_they_can(monkeypatch, "_unsigned_p")


@pytest.mark.parametrize("start", ["pixels", "window", "vectors"])
def test_equals_tflm(start: str, tmp_path: Path) -> None:
    """Nearly all of them take such a kernel; of others a window lies outside the image, or a shift
    outside the range."""
    models = {name: model for name, model in MODELS.items() if name.startswith(start)}
    taken = [name for name, model in models.items() if KERNEL in kernel_of(model)]
    assert len(taken) >= len(models) * 3 // 4 > 0
    cases = {name: of_ends(model) for name, model in models.items()}
    assert not wrong_in_c(cases, PART, folder=tmp_path)


def test_pieces(tmp_path: Path) -> None:
    """Rows that are made in two pieces, of any number of pixels."""
    windows = [each for each in MODELS.items() if each[0].startswith("window")]
    cases = {f"{name}_pieces": of_ends(model) for name, model in windows[::4]}
    assert_rows_in_pieces(cases, PART, folder=tmp_path)


def test_far(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Records beyond the first 64 kB of flash."""
    starts = ("pixels_27_", "window_3_3_2_5", "vectors_16")
    cases = {n: of_ends(m) for n, m in MODELS.items() if n.startswith(starts)}
    assert len(cases) >= 2 * len(starts)
    assert all(KERNEL in kernel_of(MODELS[name]) for name in cases)
    monkeypatch.setattr(programs, "move_weights_far", all_far)
    assert not wrong_in_c(cases, PART, folder=tmp_path)


@pytest.mark.parametrize("activation", [Activation.RELU, Activation.NONE])
@pytest.mark.parametrize("size", [MOST_OF_NIBBLES, MOST_OF_NIBBLES + 1])
def test_largest_sums(size: int, activation: Activation, tmp_path: Path) -> None:
    """20 bits hold a sum of the second output and its sign; another kernel takes what they do not
    hold."""
    sums: dict[str, Any] = {"factor": 1.2 * 2.0**-12, "activation": activation, "bits": 4}
    values = np.full((2, 128), 7, np.int8)
    model = dense((1, 128), (1, 2), values=values, zero_points=(0, -128), **sums)
    biases = np.array([128 * 7 * 128 - size, size - 128 * 7 * 127], np.int32)
    model = with_tensor(model, 2, data=biases.tobytes())
    assert (KERNEL in kernel_of(model)) == (size <= MOST_OF_NIBBLES)
    assert not wrong_in_c({"largest": of_ends(model)}, PART, folder=tmp_path)


def test_dot_product(tmp_path: Path) -> None:
    """Vectors that are too long for pairs, or have no multiplier that they take."""
    cases = {}
    for count in (1, 2, 3, 4, 5, 7, 255, 256, 257, 258, 513, 1030):
        values = np.where(np.arange(2 * count) % 3 == 0, 7, -8).astype(np.int8).reshape(2, count)
        model = dense((1, count), (1, 2), values=values, bits=4)
        assert (kernel_of(model) == "fully_connected_nibbles") == (count > 128)
        cases[f"values_{count}"] = of_ends(model)
    assert not wrong_in_c(cases, PART, folder=tmp_path)
