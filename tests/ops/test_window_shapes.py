"""Windows of many shapes, strides and dilations on AVR: TFLM's bytes, and avr8js's cycles.

The distance between two taps is a constant of the code, so that each shape has instructions of its
own: a skip of one that simavr takes for two words was found by a dilation of 3.
"""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

import numpy as np

from tests.support import combined
from tests.support.combined import Job, run_combined, target_or_skip
from tests.support.javascript import run_twice
from tests.support.tflm import tflm_outputs
from tinyml_rules.model_file.writer import ModelSpec, build_model
from tinyml_rules.ops._shared.spatial import Padding
from tinyml_rules.ops.conv_2d.cases import conv
from tinyml_rules.ops.depthwise_conv_2d.cases import depthwise

SHAPES = 40
TARGET = "atmega1284p"


def window_of(random: Random) -> ModelSpec:
    """A window anywhere between a point and one that is larger than the image."""
    image = (1, random.randint(5, 14), random.randint(5, 14), random.choice((1, 2, 3, 4)))
    size = (random.randint(1, 4), random.randint(1, 4))
    dilations = (random.randint(1, 4), random.randint(1, 4))
    strides = (random.randint(1, 3), random.randint(1, 3))
    reach = [(each - 1) * by + 1 for each, by in zip(size, dilations, strict=True)]
    fits = reach[0] <= image[1] and reach[1] <= image[2]
    how: dict[str, Any] = {
        "padding": random.choice((Padding.SAME, Padding.VALID)) if fits else Padding.SAME,
        "strides": strides,
        "dilations": dilations,
        "is_per_axis": random.random() < 0.5,
    }
    if random.random() < 0.5:
        return depthwise(image, size, **how)
    return conv(image, size, outputs=random.choice((1, 2, 3, 4, 8)), **how)


def test_equals_tflm_and_the_second_emulator(tmp_path: Path) -> None:
    target = target_or_skip(TARGET)
    random = Random(9)  # noqa: S311 - not for secrets
    jobs, expected = [], {}
    for number in range(SHAPES):
        spec = window_of(random)
        name, file = f"window_{number}", build_model(spec)
        shape = (2, *spec.tensors[0].shape)
        values = np.random.default_rng(number).integers(-128, 128, shape, np.int8)
        (output,) = tflm_outputs(file, [values])
        jobs.append(Job(name, file, values.tobytes()))
        expected[name] = output.tobytes()
    with patch.object(combined, "run_image", run_twice):
        outputs = run_combined(target, jobs, folder=tmp_path)
    assert outputs == expected
