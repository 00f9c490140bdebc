"""Samples become the model's input as TFLM's examples feed them."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

from models.samples import read_grey_bitmap, real_inputs, sample_input
from models.zoo import load_manifest
from tests.conftest import MODELS_FOLDER, ZooModel, ZooSample
from tests.support.speech_features import speech_features
from tests.support.tflm import tflm_outputs
from tinyml_rules.errors import UsageError
from tinyml_rules.ir.interface import Port

GREYS = b"".join(bytes([grey, grey, grey, 0]) for grey in range(256))


def bitmap(
    rows: list[list[int]], *, is_bottom_up: bool = True, depth: int = 8, palette: bytes = GREYS
) -> bytes:
    """A .bmp file of these palette indices, given top row first."""
    height, width = len(rows), len(rows[0])
    padding = bytes(-width % 4)
    stored = rows[::-1] if is_bottom_up else rows
    pixels = b"".join(bytes(row) + padding for row in stored)
    info = (40, width, height if is_bottom_up else -height, 1, depth, 0, len(pixels), 0, 0)
    header = struct.pack("<IiiHHIIiiII", *info, len(palette) // 4, 0)
    start = 14 + len(header) + len(palette)
    return struct.pack("<2sIII", b"BM", start + len(pixels), 0, start) + header + palette + pixels


def port(*shape: int, scale: float = 0.5, zero_point: int = 0) -> Port:
    """An input of a model."""
    return Port("in", "model_input", shape, scale, zero_point, is_float_in_model=False)


@pytest.mark.parametrize("is_bottom_up", [True, False])
def test_bitmap_rows(is_bottom_up: bool) -> None:
    """Either order of rows, and rows whose padding is skipped."""
    rows = [[1, 2, 3], [4, 5, 255]]
    pixels = read_grey_bitmap(bitmap(rows, is_bottom_up=is_bottom_up), where="it")
    assert pixels.tolist() == rows


def test_bitmap_palette() -> None:
    """A pixel is an index into the palette."""
    data = bitmap([[1, 0]], palette=bytes([9, 9, 9, 0, 7, 7, 7, 0]))
    assert read_grey_bitmap(data, where="it").tolist() == [[7, 9]]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"GIF89a", "is no bitmap"),
        (bitmap([[1]])[:40], "is no bitmap"),
        (bitmap([[1]], depth=24), "expected 8 bits"),
        (bitmap([[1, 2], [3, 4]])[:-1], "is cut off"),
        (bitmap([[1]], palette=bytes([1, 2, 3, 0])), "in colour"),
        (bitmap([[1]], palette=bytes(4)), "expected a palette"),
    ],
)
def test_wrong_bitmap(data: bytes, message: str) -> None:
    """Every mistake ends in one error."""
    with pytest.raises(UsageError, match=f"it: error: .*{message}"):
        read_grey_bitmap(data, where="it")


def test_image_that_does_not_fit(tmp_path: Path) -> None:
    """The number of pixels is checked, and the kind of file."""
    image = tmp_path / "image.bmp"
    image.write_bytes(bitmap([[1, 2], [3, 200]]))
    assert sample_input(image, port(1, 2, 2, 1)).ravel().tolist() == [1, 2, 3, -56]
    with pytest.raises(UsageError, match="has 2x2 pixels, expected 9 in all"):
        sample_input(image, port(1, 3, 3, 1))
    with pytest.raises(UsageError, match=r"a '\.wav' file, expected \.bmp"):
        sample_input(tmp_path / "sound.wav", port(1, 1960))


def test_real_inputs() -> None:
    """Ties go away from zero, and what is out of range saturates."""
    inputs = real_inputs((0.0, 0.25, -0.25, 1.0, 1e9, -1e9), port(1, 1, zero_point=1))
    assert inputs.shape == (6, 1, 1)
    assert inputs.ravel().tolist() == [1, 2, 0, 3, 127, -128]
    with pytest.raises(UsageError, match="takes 4 values, expected 1"):
        real_inputs((0.0,), port(1, 4))


def test_person_detection(zoo_model: ZooModel, zoo_sample: ZooSample) -> None:
    """TFLM gives every sample its label, which also checks the labels' order."""
    demo = load_manifest(MODELS_FOLDER, "person_detect").demo
    images = [zoo_sample("person_detect", sample.file.name) for sample in demo.samples]
    inputs = np.stack([sample_input(image, port(1, 96, 96, 1)) for image in images])
    (outputs,) = tflm_outputs(zoo_model("person_detect").read_bytes(), [inputs])
    answers = [demo.labels[index] for index in outputs[:, 0].argmax(axis=1)]
    assert answers == [sample.label for sample in demo.samples]


def test_speech(zoo_model: ZooModel, zoo_sample: ZooSample) -> None:
    """Likewise for sound, whose features are computed for tests alone."""
    demo = load_manifest(MODELS_FOLDER, "speech").demo
    sounds = [zoo_sample("speech", sample.file.name) for sample in demo.samples]
    inputs = np.stack([speech_features(sound) for sound in sounds])
    (outputs,) = tflm_outputs(zoo_model("speech").read_bytes(), [inputs])
    answers = [demo.labels[index] for index in outputs[:, 0].argmax(axis=1)]
    assert answers == [sample.label for sample in demo.samples]
