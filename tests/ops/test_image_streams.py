"""Operators that make more rows than they read, or other ones, between convolutions: row by row,
pushed and layer by layer the result is TFLM's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.plan.together import Variant, wrong_outputs
from tests.support.chained import chained
from tests.support.host import host, program_of, samples_and_truth
from tests.support.real_windows import IMAGE as FIRST
from tests.support.real_windows import LAYERS
from tests.support.real_windows import RESULT as LAST
from tinyml_rules.compiler import compile_model
from tinyml_rules.ir.interface import ArenaMode
from tinyml_rules.model_file.writer import ModelSpec, build_model
from tinyml_rules.ops._shared.cases.case import (
    model_of,
    plain,
    quantized,
    typed,
    with_tensor,
)
from tinyml_rules.ops._shared.cases.weighted import Image
from tinyml_rules.ops._shared.spatial import Padding
from tinyml_rules.ops.conv_2d.cases import conv
from tinyml_rules.ops.pad.cases import pad
from tinyml_rules.ops.resize_bilinear.cases import resize_bilinear
from tinyml_rules.ops.resize_nearest_neighbor.cases import resize
from tinyml_rules.ops.slice.cases import slice_model
from tinyml_rules.ops.strided_slice.cases import strided_slice
from tinyml_rules.ops.transpose_conv.cases import transpose_conv
from tinyml_rules.plan.schedule import Mode, schedule
from tinyml_rules.request.request import Request

SAMPLES = 4
SCHEDULES = ((Mode.LAYER, False), (Mode.AUTO, False), (Mode.STREAM, False), (Mode.AUTO, True))
MADE = (1, 5, 4, 3)
"""What the first convolution makes: rows of twelve bytes."""


def alike(model: ModelSpec) -> ModelSpec:
    """The model with the quantization that a convolution of the tests gives."""
    for index in (model.inputs[0], model.outputs[0]):
        model = with_tensor(model, index, scales=(0.25,), zero_points=(11,))
    return model


def between(model: ModelSpec) -> ModelSpec:
    """The model between two convolutions."""
    (_, height, width, channels), made = (
        model.tensors[ends[0]].shape for ends in (model.inputs, model.outputs)
    )
    assert len(made) == 4
    return chained(conv((1, height, width, 2), outputs=channels), model, conv(made))


def depth(operator: str, image: Image, made: Image, size: int) -> ModelSpec:
    """Blocks of so many rows and columns become channels, or the other way round."""
    tensors = plain("input", image), plain("output", made)
    return model_of(operator, tensors[:1], tensors[1], options={"BlockSize": size})


REALS = chained(
    model_of("DEQUANTIZE", (quantized("x", FIRST),), typed("real", FIRST, "float32")),
    *LAYERS,
    model_of("QUANTIZE", (typed("real", LAST, "float32"),), quantized("y", LAST, scale=0.3)),
)
MODELS = {
    "in_real_numbers": REALS,
    "resized": between(alike(resize_bilinear(MADE, (10, 8)))),
    "resized_corners": between(alike(resize_bilinear(MADE, (13, 7), align_corners=True))),
    "resized_centers": between(alike(resize_bilinear(MADE, (10, 8), half_pixel_centers=True))),
    "made_smaller": between(alike(resize_bilinear(MADE, (3, 3), half_pixel_centers=True))),
    "made_three_times_larger": between(alike(resize_bilinear(MADE, (15, 12)))),
    "spread": between(transpose_conv(MADE)),
    "spread_valid": between(transpose_conv(MADE, padding=Padding.VALID)),
    "spread_far": between(transpose_conv(MADE, (2, 3), strides=(4, 3))),
    "spread_by_one": between(transpose_conv(MADE, (4, 3), strides=(1, 1))),
    "spread_twice": chained(conv(), transpose_conv(MADE), transpose_conv((1, 10, 8, 3), (2, 2))),
    "spread_alone": transpose_conv((1, 9, 4, 3)),
    "resized_alone": resize_bilinear((1, 9, 4, 3), (18, 8)),
    "made_smaller_alone": resize_bilinear((1, 9, 8, 3), (4, 4)),
    "twice_as_large": between(alike(resize(MADE, (10, 8)))),
    "centered": between(alike(resize(MADE, (10, 8), is_centered=True))),
    "uneven": between(alike(resize(MADE, (13, 7)))),
    "uneven_corners": between(alike(resize(MADE, (13, 7), is_aligned=True))),
    "fewer": between(alike(resize(MADE, (3, 3), is_centered=True))),
    "more_rows": between(alike(resize(MADE, (15, 4)))),
    "flat": between(alike(depth("DEPTH_TO_SPACE", (1, 5, 4, 12), (1, 10, 8, 3), 2))),
    "deep": between(alike(depth("SPACE_TO_DEPTH", (1, 6, 4, 3), (1, 3, 2, 12), 2))),
    "every_second": between(
        alike(strided_slice(MADE, (0, 1, 0, 0), (1, 5, 4, 3), (1, 2, 2, 1), result=(1, 2, 2, 3)))
    ),
    "inner": between(alike(slice_model(MADE, (0, 1, 1, 0), (1, 3, 2, 3)))),
    "some_channels": between(alike(slice_model(MADE, (0, 0, 1, 1), (1, 5, 2, 1)))),
    "padded": between(alike(pad(MADE, ((0, 0), (2, 3), (1, 2), (0, 0))))),
}


def variants(name: str) -> Iterator[Variant]:
    """Each schedule, plain and checked."""
    model = build_model(MODELS[name])
    samples, truth = samples_and_truth(model, count=SAMPLES)
    for number, (mode, is_pushed) in enumerate(SCHEDULES):
        for is_checked in (False, True):
            request = Request(
                model,
                f"{name}_{number}_{'checked' if is_checked else 'plain'}",
                host(),
                schedule=mode,
                push_rows=is_pushed,
                checked=is_checked,
                arena=list(ArenaMode)[number % 3],
            )
            yield Variant(compile_model(request), SAMPLES, samples, truth)


@pytest.mark.parametrize("name", MODELS)
def test_equals_tflm(name: str, tmp_path: Path) -> None:
    """In every schedule, plain and where every dead byte is overwritten."""
    assert wrong_outputs(list(variants(name)), tmp_path) == []


@pytest.mark.parametrize("name", [name for name in MODELS if not name.endswith("_alone")])
def test_one_stream(name: str) -> None:
    """All steps run row by row together."""
    steps = schedule(program_of(build_model(MODELS[name])), mode=Mode.STREAM)
    assert len(steps.tasks) == 1
