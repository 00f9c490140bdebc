"""Sums without a sign on AVR: every residue of the loops, ends, ties and shifts equal TFLM's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from tests.ops.test_cases import wrong_in_c
from tests.ops.test_weight_pairs import TIES, of_ends
from tests.support.in_pieces import assert_rows_in_pieces
from tests.support.stages import selected
from tests.support.unmeasured import take_wherever_they_can
from tinyml_rules.arithmetic.fixed_point import Activation, multiply_by_quantized_multiplier
from tinyml_rules.ir.requantization import Requantization
from tinyml_rules.ir.sum_conditions import outputs_from
from tinyml_rules.ir.sums import Element, Sums
from tinyml_rules.lower.far_weights import move_weights_far
from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.case import with_tensor
from tinyml_rules.ops._shared.positive_records import rounding_bytes
from tinyml_rules.ops._shared.spatial import Padding
from tinyml_rules.ops.conv_2d.cases import conv
from tinyml_rules.ops.fully_connected import unsigned_fours
from tinyml_rules.ops.fully_connected.cases import dense
from tinyml_rules.plan import programs
from tinyml_rules.target.target import load_target

PART = "atmega1284p"
KERNEL = "unsigned"
MOST_SUM = 2**23 - 1


def weights(outputs: int, values: int) -> npt.NDArray[np.int8]:
    """Random ones, half of them ends of their range."""
    random = np.random.default_rng(outputs + values)
    ends = random.choice((-128, -127, 127), (outputs, values))
    is_end = random.integers(0, 2, (outputs, values)) == 1
    return np.where(is_end, ends, random.integers(-128, 128, (outputs, values))).astype(np.int8)


def sums_of(outputs: int, values: int, number: int) -> dict[str, Any]:
    """Weights and quantization that such kernels take: ties, large biases, clamps, in turn."""
    more: tuple[dict[str, Any], ...] = (
        {"factor": TIES[number % len(TIES)], "zero_points": (0, 0), "is_per_axis": False},
        {"bias_size": 2**19, "factor": 2.0**-12},
        {"zero_points": (127, -100), "factor": 2.0**-7},
        {"activation": Activation.RELU6, "zero_points": (-128, -128), "factor": 2.0**-9},
        {"zero_points": (-128, 100), "factor": 2.0**-8},
        {"zero_points": (5, -128)},
    )
    chosen = {"activation": Activation.RELU, **more[number % len(more)]}
    return {"values": weights(outputs, values), "is_per_axis": True, **chosen}


def _pixels() -> Iterator[tuple[str, ModelSpec]]:
    """Every number of pixels up to eight with few values, and numbers of values up to the most."""
    counts = (*range(1, 10), 15, 16, 17, 27, 31, 64, 126, 127, 128)
    shapes = [(values, 1 + values % 5, 1 + number % 8) for number, values in enumerate(counts)]
    shapes += [(3, outputs, pixels) for outputs in (1, 2, 3, 6) for pixels in range(1, 9)]
    shapes += [(2, outputs, 3) for outputs in (64, 254, 255)]
    for number, (values, outputs, pixels) in enumerate(shapes):
        sums = sums_of(outputs, values, number)
        if outputs > 8:
            sums["is_per_axis"] = False
        model = conv((1, 1, pixels, values), (1, 1), outputs=outputs, **sums)
        yield f"pixels_{values}_{outputs}_{pixels}", model


def _windows() -> Iterator[tuple[str, ModelSpec]]:
    """Windows along either axis, at every place of the image."""
    windows = [
        (3, 3, 2),
        (1, 4, 3),
        (5, 1, 1),
        (2, 2, 5),
        (3, 4, 1),
        (10, 4, 1),
        (1, 3, 40),
        (4, 8, 4),
    ]
    number = 0
    for height, width, channels in windows:
        for image_width in (1, 2, 3, 5, 8):
            for stride in (1, 2):
                number += 1
                padding = (
                    Padding.VALID if number % 3 == 0 and image_width >= width else Padding.SAME
                )
                image = (1 + number % 2, max(height, 3) + number % 3, image_width, channels)
                outputs = 2 + number % 3
                sums = sums_of(outputs, height * width * channels, number)
                name = f"window_{height}_{width}_{channels}_{image_width}_{stride}"
                strides = (1 + number % 2, stride)
                yield (
                    name,
                    conv(
                        image,
                        (height, width),
                        outputs=outputs,
                        padding=padding,
                        strides=strides,
                        **sums,
                    ),
                )


def _vectors() -> Iterator[tuple[str, ModelSpec]]:
    counts = (*range(1, 9), 16, 31, 64, 127, 128)
    for number, values in enumerate(counts):
        outputs, vectors = 2 + number % 5, 1 + number % 3
        sums = {**sums_of(outputs, values, number), "is_per_axis": number % 2 == 1}
        yield f"vectors_{values}", dense((vectors, values), (vectors, outputs), **sums)


def _fours() -> Iterator[tuple[str, ModelSpec]]:
    """Every number of outputs in the last four, few values and many, all shifts of such kernels."""
    counts = (*range(1, 10), 15, 31, 64, 127, 128)
    shapes = [(values, 4 + number % 7) for number, values in enumerate(counts)]
    shapes += [(3, 254), (2, 255)]
    for number, (values, outputs) in enumerate(shapes):
        sums = {**sums_of(outputs, values, number), "bias_size": 2**12}
        sums.update(is_per_axis=False, factor=(0.6 + 0.02 * number) * 2.0 ** -(1 + number % 7))
        if number % 6 == 0:
            sums.update(zero_points=(number, -128), factor=2.0 ** -(2 + number % 7))  # ties
        vectors = 1 + number % 3
        yield f"fours_{values}_{outputs}", dense((vectors, values), (vectors, outputs), **sums)


def _shifts() -> Iterator[tuple[str, ModelSpec]]:
    """All shifts, with sums that each of them leaves within int8, beside it and beyond."""
    for bits in range(6, 24, 2):
        sums: dict[str, Any] = {"bias_size": 2**bits, "activation": Activation.RELU}
        for zero_point in (-128, 0):
            yield (
                f"shifts_{bits}_{zero_point + 128}",
                conv(
                    (1, 2, 4, 60),
                    (1, 1),
                    outputs=38,
                    factor=2.0**-15.5,
                    values=weights(38, 60),
                    zero_points=(3, zero_point),
                    **sums,
                ),
            )


@pytest.fixture(autouse=True)
def of_any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few outputs, too, for which other kernels are faster."""
    take_wherever_they_can(monkeypatch, "conv_2d_unsigned_", "fully_connected_unsigned_pairs")
    take_wherever_they_can(monkeypatch, "unsigned_fours", pays=(outputs_from(4),))


MODELS: Mapping[str, ModelSpec] = dict(
    [*_pixels(), *_windows(), *_vectors(), *_fours(), *_shifts()]
)


def kernel_of(model: ModelSpec) -> str:
    """The kernel that the part takes for the only layer."""
    (step,) = selected(model, features=load_target(PART).features).steps
    return step.kernel.name


@pytest.mark.parametrize("start", ["pixels", "window", "vectors", "fours", "shifts"])
def test_equals_tflm(start: str, tmp_path: Path) -> None:
    """All of them take such a kernel, and give the reference's bytes."""
    models = {name: model for name, model in MODELS.items() if name.startswith(start)}
    taken = [name for name, model in models.items() if KERNEL in kernel_of(model)]
    assert len(taken) >= (len(models) * 3 // 4 if start == "window" else len(models))
    if start == "fours":
        assert all("fours" in name for name in map(kernel_of, models.values()))
    cases = {name: of_ends(model) for name, model in models.items()}
    assert not wrong_in_c(cases, PART, folder=tmp_path)


def test_pieces(tmp_path: Path) -> None:
    """Rows that are made in two pieces, of any number of pixels."""
    models = {f"{name}_pieces": model for name, model in _windows()}
    cases = {name: of_ends(model) for name, model in models.items()}
    assert_rows_in_pieces(cases, PART, folder=tmp_path)


def test_far(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Records beyond the first 64 kB of flash."""
    starts = ("pixels_64", "pixels_17", "window_3_3_2_5", "vectors_31", "fours_31_")
    cases = {n: of_ends(m) for n, m in MODELS.items() if n.startswith(starts)}
    assert len(cases) >= len(starts)
    monkeypatch.setattr(programs, "move_weights_far", all_far)
    assert not wrong_in_c(cases, PART, folder=tmp_path)


def all_far(program: Any, **_words: Any) -> Any:
    moved = move_weights_far(program, near_bytes=0)
    assert [step for step in moved.steps if step.kernel.is_far]
    return moved


@pytest.mark.parametrize("size", [MOST_SUM, MOST_SUM + 1])
def test_largest_sums(size: int, tmp_path: Path) -> None:
    """24 bits hold a sum and its sign; another kernel takes what they do not hold."""
    values = np.full((2, 128), 127, np.int8)
    sums: dict[str, Any] = {"factor": 0.9 * 2.0**-14, "zero_points": (0, -128)}
    model = dense((1, 128), (1, 2), values=values, activation=Activation.RELU, **sums)
    biases = np.array([size - 128 * 127 * 127, 0], np.int32)
    model = with_tensor(model, 2, data=biases.tobytes())
    assert (KERNEL in kernel_of(model)) == (size <= MOST_SUM)
    assert not wrong_in_c({"largest": of_ends(model)}, PART, folder=tmp_path)


@pytest.mark.parametrize("shift", range(1, 16))
def test_rounding(shift: int) -> None:
    """One sum of products is TFLM's two roundings, at all sums where the result becomes another."""
    for multiplier in (2**30, 3 * 2**29, 2**31 - 1, 1_234_567_891):
        rounding = Requantization(multiplier, -shift, -128, clamp_min=-128, clamp_max=127)
        record = rounding_bytes(rounding, channels=1)[0].astype(object)
        factor = sum(int(byte) << 8 * place for place, byte in enumerate(record[:5]))
        is_long = bool(record[6])
        constant = (int(record[5]) << 32) + (2**47 if is_long else 0)
        steps = [(2 * result - 1) << (30 + shift) for result in range(1, 300)]
        near = {step // multiplier + off for step in steps for off in (-1, 0, 1, 2)}
        sums = np.array(sorted(each for each in near if 0 <= each <= MOST_SUM), np.int64)
        expected = multiply_by_quantized_multiplier(sums, multiplier, -shift)
        found = [(int(each) * factor + constant) >> (48 if is_long else 40) for each in sums]
        assert found == expected.tolist()


@pytest.mark.parametrize("shift", range(1, 8))
def test_one_rounding(shift: int) -> None:
    """The bytes that the kernel sums are TFLM's result of every sum of 16 bits, or saturate too."""
    random = np.random.default_rng(shift)
    multipliers = [2**30, 3 * 2**29, 2**31 - 1, *random.integers(2**30, 2**31, 40).tolist()]
    sums = np.arange(2**16, dtype=np.int64)
    found = 0
    for multiplier in multipliers:
        rounding = unsigned_fours.one_rounding(multiplier, shift)
        if rounding is None:
            continue
        found += 1
        low, factor = rounding[0] & 0xFF, rounding[0] >> 8 << 8
        total = sums * factor + (sums >> 8 << 8) * low + (rounding[1] << 16)
        exact = multiply_by_quantized_multiplier(sums, multiplier, -shift)
        assert np.array_equal(np.minimum(total >> 32, 255), np.minimum(exact, 255))
    assert found > len(multipliers) // 2


def test_no_rounding() -> None:
    """A multiplier that no constant is exact for goes to another kernel."""
    drawn = np.random.default_rng(7).integers(2**30, 2**31, 2000).tolist()
    none = next(each for each in drawn if unsigned_fours.one_rounding(each, 7) is None)
    exact = next(each for each in drawn if unsigned_fours.one_rounding(each, 7) is not None)
    sums = Sums(
        matrix=weights(8, 4),
        bias=np.zeros(8, np.int32),
        requantization=Requantization(none, -7, -128, clamp_min=-128, clamp_max=127),
        element=Element.INT8,
        channels=4,
        group=4,
        input_zero_point=0,
        overflow="",
    )
    assert not unsigned_fours.KERNEL.takes(sums)
    found = replace(sums.requantization, multiplier=exact)
    assert unsigned_fours.KERNEL.takes(replace(sums, requantization=found))
