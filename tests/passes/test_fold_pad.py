"""A PAD before a convolution is that convolution's padding, where it can be, and only there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.support.host import host, run_on_host, samples_and_truth
from tests.support.operator_cases import oracle_bytes
from tests.support.stages import passed
from tests.support.tflm import tflm_outputs
from tinyml_rules.compiler import compile_model
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, build_model
from tinyml_rules.ops._shared.cases.border import Pairs, padded
from tinyml_rules.ops._shared.cases.case import Case, int32s, quantized, random_case
from tinyml_rules.ops._shared.cases.weighted import Image
from tinyml_rules.ops._shared.spatial import Padding
from tinyml_rules.ops.conv_2d.cases import conv
from tinyml_rules.ops.depthwise_conv_2d.cases import depthwise
from tinyml_rules.request.request import Request

ROUND: Pairs = ((0, 0), (1, 1), (1, 1), (0, 0))
Make = Callable[..., ModelSpec]


def behind_pad(
    make: Make = conv, image: Image = (1, 5, 4, 2), pairs: Pairs = ROUND, **changes: object
) -> ModelSpec:
    """A PAD around the image, then the convolution that `make` gives for the padded image."""
    changes = {"padding": Padding.VALID, **changes}
    model = make(padded(image, pairs), (3, 3), **changes)
    (operator,) = model.operators
    wide = model.tensors[0]
    count = len(model.tensors)
    source = replace(wide, name="image", shape=image)
    pad = OperatorSpec("PAD", (count, count + 1), (0,))
    return replace(
        model,
        tensors=(*model.tensors, source, int32s("paddings", pairs)),
        operators=(pad, operator),
        inputs=(count,),
    )


FOLDED: dict[str, ModelSpec] = {
    "around": behind_pad(),
    "strides": behind_pad(strides=(2, 2)),
    "strides_before_alone": behind_pad(
        pairs=((0, 0), (1, 0), (1, 0), (0, 0)), image=(1, 6, 6, 2), strides=(2, 2)
    ),
    "behind_alone": behind_pad(pairs=((0, 0), (0, 1), (0, 2), (0, 0)), strides=(2, 2)),
    "rows_alone": behind_pad(pairs=((0, 0), (2, 1), (0, 0), (0, 0))),
    "same_too": behind_pad(padding=Padding.SAME),
    "same_with_strides": behind_pad(padding=Padding.SAME, image=(1, 5, 6, 2), strides=(2, 2)),
    "dilated": behind_pad(pairs=((0, 0), (2, 2), (2, 2), (0, 0)), dilations=(2, 2)),
    "batches": behind_pad(image=(2, 4, 4, 2)),
    "wider_than_the_image": behind_pad(image=(1, 1, 1, 3), pairs=((0, 0), (2, 2), (2, 2), (0, 0))),
    "stride_beyond_the_image": behind_pad(
        image=(1, 1, 1, 3), pairs=((0, 0), (2, 2), (2, 2), (0, 0)), strides=(2, 2)
    ),
    "depthwise": behind_pad(depthwise),
    "depthwise_strides": behind_pad(
        depthwise, image=(1, 6, 6, 3), pairs=((0, 0), (0, 1), (0, 1), (0, 0)), strides=(2, 2)
    ),
    "depthwise_of_one_channel": behind_pad(depthwise, image=(1, 5, 4, 1), depth_multiplier=3),
    "many_channels": behind_pad(image=(1, 4, 4, 16), outputs=8),
}


def _read_twice() -> ModelSpec:
    """The padded image is an output too."""
    model = behind_pad()
    return replace(model, outputs=(*model.outputs, 0))


def _another_reader() -> ModelSpec:
    model = behind_pad()
    count, wide = len(model.tensors), model.tensors[0]
    relu = OperatorSpec("RELU", (0,), (count,))
    return replace(
        model,
        tensors=(*model.tensors, quantized("relu", wide.shape)),
        operators=(*model.operators, relu),
        outputs=(*model.outputs, count),
    )


def _with_value(value: int) -> ModelSpec:
    """PADV2 with a value."""
    model = behind_pad()
    count, wide = len(model.tensors), model.tensors[0]
    constant = replace(wide, name="value", shape=(), data=np.array(value, np.int8))
    pad, operator = model.operators
    padv2 = replace(pad, name="PADV2", inputs=(*pad.inputs, count))
    return replace(model, tensors=(*model.tensors, constant), operators=(padv2, operator))


def zero_point_of_image() -> int:
    """Of the image of `behind_pad`."""
    (zero_point,) = behind_pad().tensors[0].zero_points
    return zero_point


KEPT: dict[str, ModelSpec] = {
    "channels": behind_pad(pairs=((0, 0), (1, 1), (1, 1), (0, 1))),
    "batches": behind_pad(pairs=((0, 1), (1, 1), (1, 1), (0, 0))),
    "beside_the_image": behind_pad(pairs=((0, 0), (3, 0), (0, 0), (0, 0))),
    "an_output_too": _read_twice(),
    "another_reader": _another_reader(),
    "another_value": _with_value(zero_point_of_image() + 1),
}


def operators_of(model: ModelSpec) -> list[str]:
    """What is left of a model."""
    return [node.op for node in passed(model).nodes]


@pytest.mark.parametrize("name", FOLDED)
def test_the_padding_is_the_convolutions(name: str, tmp_path: Path) -> None:
    """One node, and TFLM's bytes from the oracle and from a checked build."""
    model = FOLDED[name]
    (found,) = operators_of(model)
    assert found.endswith("conv_2d")
    is_exact(model, tmp_path)


def test_a_value_that_is_the_zero_point_is_folded(tmp_path: Path) -> None:
    model = _with_value(zero_point_of_image())
    assert operators_of(model) == ["conv_2d"]
    is_exact(model, tmp_path)


@pytest.mark.parametrize("name", KEPT)
def test_the_padding_stays(name: str, tmp_path: Path) -> None:
    model = KEPT[name]
    assert operators_of(model)[0].startswith("pad")
    is_exact(model, tmp_path)


def test_two_borders_are_folded(tmp_path: Path) -> None:
    """One PAD behind another."""
    inner: Pairs = ((0, 0), (0, 0), (1, 0), (0, 0))
    outer: Pairs = ((0, 0), (1, 1), (0, 1), (0, 0))
    model = behind_pad(image=(1, 5, 5, 2), pairs=outer)
    wide = model.inputs[0]
    count = len(model.tensors)
    source = replace(model.tensors[wide], name="first", shape=(1, 5, 4, 2))
    pad = OperatorSpec("PAD", (count, count + 1), (wide,))
    both = replace(
        model,
        tensors=(*model.tensors, source, int32s("inner", inner)),
        operators=(pad, *model.operators),
        inputs=(count,),
    )
    assert operators_of(both) == ["conv_2d"]
    is_exact(both, tmp_path)


def is_exact(model: ModelSpec, folder: Path) -> None:
    """Assert it."""
    file, case = build_model(model), random_case(model)
    expected = b"".join(
        each.tobytes()
        for row in zip(*tflm_outputs(file, case.samples), strict=True)
        for each in row
    )
    assert oracle_bytes(Case(model, case.samples), passed(model)) == expected
    compiled = compile_model(Request(file, "model", host(), checked=True))
    samples, truth = samples_and_truth(file, count=4)
    found = run_on_host(compiled.files, compiled.interface, samples, folder=folder)
    assert found == truth
