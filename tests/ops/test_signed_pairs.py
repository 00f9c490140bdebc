"""Sums of AVR whose results are on either side of the zero point: residues of the loops, ends, ties
and shifts equal TFLM's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.ops.test_cases import wrong_in_c
from tests.ops.test_unsigned_pairs import PART, all_far, kernel_of, weights
from tests.ops.test_weight_pairs import TIES, of_ends
from tests.support.in_pieces import assert_rows_in_pieces
from tests.support.unmeasured import take_wherever_they_can
from tinyml_rules.arithmetic.fixed_point import Activation, multiply_by_quantized_multiplier
from tinyml_rules.ir.requantization import Requantization
from tinyml_rules.ir.sum_conditions import outputs_from
from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.case import with_tensor
from tinyml_rules.ops._shared.signed_records import signed_rounding_bytes
from tinyml_rules.ops.conv_2d.cases import conv
from tinyml_rules.ops.fully_connected import unsigned_fours, unsigned_pairs
from tinyml_rules.ops.fully_connected.cases import dense
from tinyml_rules.plan import programs

MOST_SUM = 2**23 - 1


def _sums(outputs: int, values: int, number: int) -> dict[str, Any]:
    """Weights and quantization of both signs: ties, large biases, clamps, in turn."""
    more: tuple[dict[str, Any], ...] = (
        {"factor": TIES[number % len(TIES)], "zero_points": (0, 0), "is_per_axis": False},
        {"bias_size": 2**19, "factor": 2.0**-12, "zero_points": (3, 126)},
        {"zero_points": (127, -100), "factor": 2.0**-7},
        {"zero_points": (-128, 100), "factor": 0.7 * 2.0**-8},
        {"zero_points": (5, -127), "factor": 2.0**-9.5},
        {"activation": Activation.RELU6, "zero_points": (-128, -128), "factor": 2.0**-9},
    )
    return {
        "values": weights(outputs, values),
        "is_per_axis": True,
        "activation": Activation.NONE,
        **more[number % (len(more) - 1)],
    }


def _pixels() -> Iterator[tuple[str, ModelSpec]]:
    for number, values in enumerate((*range(1, 10), 16, 27, 64, 127, 128, 255, 256)):
        sums = _sums(1 + values % 5, values, number)
        image = (1, 1, 1 + number % 8, values)
        yield f"pixels_{values}", conv(image, (1, 1), outputs=1 + values % 5, **sums)
    for shift in range(1, 16):
        values = weights(24, 60)
        how: dict[str, Any] = {"zero_points": (3, 8 * shift - 60), "is_per_axis": False}
        for is_large, size in enumerate((2 ** (shift + 4), 2**20)):
            how.update(bias_size=size, factor=(0.51 + 0.03 * shift) * 2.0**-shift)
            yield (
                f"pixels_shift_{shift}_{is_large}",
                conv((1, 1, 4, 60), (1, 1), outputs=24, values=values, **how),
            )


def _windows() -> Iterator[tuple[str, ModelSpec]]:
    windows = [(3, 3, 2), (1, 4, 3), (5, 1, 1), (10, 4, 1), (4, 8, 4)]
    for number, (height, width, channels) in enumerate(windows):
        for image_width in (2, 5):
            outputs = 2 + number % 3
            sums = _sums(outputs, height * width * channels, number)
            image = (1, height + number % 3, image_width, channels)
            yield (
                f"window_{height}_{width}_{image_width}",
                conv(image, (height, width), outputs=outputs, **sums),
            )


def _vectors() -> Iterator[tuple[str, ModelSpec]]:
    for number, values in enumerate((*range(1, 9), 31, 64, 127, 128)):
        outputs, vectors = 2 + number % 5, 1 + number % 3
        sums = {**_sums(outputs, values, number), "is_per_axis": number % 2 == 1}
        yield f"vectors_{values}", dense((vectors, values), (vectors, outputs), **sums)


def _fours() -> Iterator[tuple[str, ModelSpec]]:
    for number, values in enumerate((*range(1, 8), 15, 31, 64, 127, 128)):
        outputs, vectors = 4 + number % 7, 1 + number % 3
        sums = {**_sums(outputs, values, number), "bias_size": 2**12, "is_per_axis": False}
        sums.update(factor=(0.6 + 0.02 * number) * 2.0 ** -(1 + number % 7))
        yield f"fours_{values}", dense((vectors, values), (vectors, outputs), **sums)


MODELS: Mapping[str, ModelSpec] = dict([*_pixels(), *_windows(), *_vectors(), *_fours()])


@pytest.fixture(autouse=True)
def of_any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few outputs, too, for which other kernels are faster, and where speed is not all."""
    for kernel in (*unsigned_pairs.KERNELS, unsigned_fours.SIGNED_KERNEL):
        monkeypatch.setitem(vars(kernel), "is_for_speed", False)
    take_wherever_they_can(monkeypatch, "conv_2d_unsigned_", "fully_connected_unsigned_pairs")
    take_wherever_they_can(monkeypatch, "unsigned_fours", pays=(outputs_from(4),))


@pytest.mark.parametrize("start", ["pixels", "window", "vectors", "fours"])
def test_equals_tflm(start: str, tmp_path: Path) -> None:
    """All of them take such a kernel, and give the reference's bytes."""
    models = {name: model for name, model in MODELS.items() if name.startswith(start)}
    assert not [name for name, model in models.items() if not kernel_of(model).endswith("_signed")]
    if start == "fours":
        assert all("fours" in kernel_of(model) for model in models.values())
    cases = {name: of_ends(model) for name, model in models.items()}
    assert not wrong_in_c(cases, PART, folder=tmp_path)


def test_pieces(tmp_path: Path) -> None:
    """Rows that are made in two pieces, of any number of pixels."""
    cases = {f"{name}_pieces": of_ends(model) for name, model in _windows()}
    assert_rows_in_pieces(cases, PART, folder=tmp_path)


def test_far(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Records beyond the first 64 kB of flash."""
    names = ("pixels_64", "window_3_3_5", "vectors_31", "fours_31")
    cases = {name: of_ends(MODELS[name]) for name in names}
    assert all(kernel_of(MODELS[name]).endswith("_signed") for name in names)
    monkeypatch.setattr(programs, "move_weights_far", all_far)
    assert not wrong_in_c(cases, PART, folder=tmp_path)


@pytest.mark.parametrize("size", [MOST_SUM, MOST_SUM + 1])
def test_largest_sums(size: int, tmp_path: Path) -> None:
    """24 bits hold a sum and its sign; another kernel takes what they do not hold."""
    values = np.full((2, 128), 127, np.int8)
    model = dense((1, 128), (1, 2), values=values, factor=1.2 * 2.0**-16, zero_points=(0, -127))
    biases = np.array([size - 128 * 127 * 127, 128 * 127 * 128 - size], np.int32)
    model = with_tensor(model, 2, data=biases.tobytes())
    assert kernel_of(model).endswith("_signed") == (size <= MOST_SUM)
    assert not wrong_in_c({"largest": of_ends(model)}, PART, folder=tmp_path)


@pytest.mark.parametrize("shift", range(1, 16))
def test_rounding(shift: int) -> None:
    """The sum of products is TFLM's two roundings on either side, at all sums where the result
    becomes another."""
    random = np.random.default_rng(shift)
    drawn = random.integers(2**30, 2**31, 20).tolist()
    for multiplier in (2**30, 3 * 2**29, 2**31 - 1, *drawn):
        rounding = Requantization(multiplier, -shift, 3, clamp_min=-128, clamp_max=127)
        record = signed_rounding_bytes(rounding, 1)[0].astype(object)
        factor = sum(int(byte) << 8 * place for place, byte in enumerate(record[:5]))
        is_long = bool(record[6])
        rounds = (int(record[5]) << 32) + (2**47 if is_long else 0)
        steps = [(2 * result - 1) << (30 + shift) for result in range(1, 132)]
        near = {step // multiplier + off for step in steps for off in range(-2, 4)}
        sizes = np.array(sorted(each for each in near if 0 <= each <= MOST_SUM), np.int64)
        for sign in (1, -1):
            expected = sign * multiply_by_quantized_multiplier(sign * sizes, multiplier, -shift)
            constant = rounds if sign > 0 else rounds - 2**16
            found = [(int(each) * factor + constant) >> (48 if is_long else 40) for each in sizes]
            assert np.minimum(found, 131).tolist() == np.minimum(expected, 131).tolist()


@pytest.mark.parametrize("shift", range(1, 8))
def test_one_rounding(shift: int) -> None:
    """Fours give TFLM's results of sums of 16 bits, and of negated ones; of ties there is none."""
    sums = np.arange(2**16, dtype=np.int64)
    assert unsigned_fours.one_rounding(2**30, shift, is_signed=True) is None
    drawn = np.random.default_rng(shift).integers(2**30, 2**31, 20).tolist()
    found = [unsigned_fours.one_rounding(each, shift, is_signed=True) for each in drawn]
    assert sum(each is not None for each in found) > len(drawn) // 2
    for multiplier, rounding in zip(drawn, found, strict=True):
        if rounding is None:
            continue
        low, factor = rounding[0] & 0xFF, rounding[0] >> 8 << 8
        total = sums * factor + (sums >> 8 << 8) * low + (rounding[1] << 16)
        for sign in (1, -1):
            exact = sign * multiply_by_quantized_multiplier(sign * sums, multiplier, -shift)
            assert np.array_equal(np.minimum(total >> 32, 255), np.minimum(exact, 255))
