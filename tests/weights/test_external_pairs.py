"""CONV_2D on AVR with weights outside flash: two channels of some pixels of a row at a time."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.ops.test_unsigned_pairs import weights
from tests.weights.external import compile_external, random_samples, run_external
from tinyml_rules.arithmetic.fixed_point import Activation
from tinyml_rules.model_file.writer import ModelSpec, build_model
from tinyml_rules.ops._shared.cases.weighted import Image, Pair
from tinyml_rules.ops._shared.spatial import Padding
from tinyml_rules.ops.conv_2d.cases import conv
from tinyml_rules.target.target import load_target

PART = "atmega1284p"
RELU: Mapping[str, Any] = {"activation": Activation.RELU, "zero_points": (3, -128)}
SIGNED: Mapping[str, Any] = {"activation": Activation.NONE, "zero_points": (-128, 7)}


def _conv(image: Image, window: Pair, outputs: int, **more: Any) -> ModelSpec:
    values = weights(outputs, window[0] * window[1] * image[-1])
    return conv(image, window, outputs=outputs, values=values, factor=2.0**-9, **more)


MODELS: Mapping[str, ModelSpec] = {
    "one_pixel": _conv((1, 2, 1, 7), (1, 1), 3, **RELU),
    "more_pixels_than_at_once": _conv((1, 2, 29, 16), (1, 1), 5, **SIGNED),
    "five_pixels": _conv((1, 3, 5, 64), (1, 1), 6, **SIGNED),
    "one_channel": _conv((1, 5, 5, 1), (3, 3), 1, **RELU),
    "long_sums": _conv((1, 4, 4, 40), (3, 2), 4, **RELU),
    "many_channels": _conv((1, 1, 2, 3), (1, 1), 255, is_per_axis=False, **SIGNED),
    "strides": _conv((1, 7, 10, 3), (3, 3), 4, strides=(2, 2), padding=Padding.VALID, **SIGNED),
    "a_row_of_edges": _conv((1, 3, 2, 2), (3, 4), 3, **SIGNED),
}


@pytest.mark.parametrize("name", MODELS)
def test_equals_tflm(name: str, tmp_path: Path) -> None:
    """With a page that holds no record, and rows that are made in pieces."""
    model = build_model(MODELS[name])
    ends = np.random.default_rng(5).choice((-128, -127, 127), MODELS[name].tensors[0].shape)
    samples = np.stack([ends.astype(np.int8), random_samples(1, *ends.shape)[0]])
    compiled = compile_external(model, target=load_target(PART))
    assert "unsigned" in compiled.report.nodes[0].kernel
    every: tuple[dict[str, Any], ...] = ({"page_bytes": 7}, {"checked": True})
    for number, settings in enumerate(every):
        run_external(model, samples, tmp_path / str(number), target=PART, **settings)


def test_256_channels() -> None:
    """A step from pixel to pixel is a byte."""
    model = build_model(_conv((1, 1, 2, 3), (1, 1), 256, is_per_axis=False, **SIGNED))
    compiled = compile_external(model, target=load_target(PART))
    assert compiled.report.nodes[0].kernel == "conv_2d_paged"
