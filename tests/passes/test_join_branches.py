"""Convolutions of channels, side by side, are one where they are joined in their order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.support.host import host, run_on_host, samples_and_truth
from tests.support.stages import passed
from tests.support.wake_word import SMALL, Builder
from tinyml_rules.compiler import compile_model
from tinyml_rules.model_file.writer import ModelSpec, build_model
from tinyml_rules.ops._shared.cases.case import int32s, quantized
from tinyml_rules.request.request import Request


def mixed(
    lengths: Sequence[int],
    *,
    rows: int,
    channels: int = 4,
    order: int = 1,
    has_inner: bool = False,
    sees_all: bool = False,
) -> ModelSpec:
    """A convolution for each length on `channels` each, of the last rows, or of all of them;
    `order` of -1 joins them from the last to the first."""
    made = Builder(SMALL, np.random.default_rng(5))
    image = (1, rows, 1, channels * len(lengths))
    source = made.tensor(quantized("image", image, scale=0.1, zero_point=-7))
    sizes = made.tensor(int32s("sizes", [channels] * len(lengths)))
    axis = made.tensor(replace(int32s("axis", [3]), shape=(), data=np.array(3, np.int32)))
    parts = [made.like(source, (1, rows, 1, channels)) for _ in lengths]
    first = made.node("SPLIT_V", (source, sizes, axis), *parts, NumSplits=len(lengths))
    of = [
        made.convolution(
            "DEPTHWISE_CONV_2D",
            first + place if sees_all else made.cut(first + place, rows - length),
            channels,
            length,
        )
        for place, length in enumerate(lengths)
    ]
    result = (1, made.tensors[of[0]].shape[1], 1, image[3])
    joined = made.node("CONCATENATION", of[::order], made.like(of[0], result), Axis=-1)
    outputs = (joined, of[0]) if has_inner else (joined,)
    return ModelSpec(tuple(made.tensors), tuple(made.operators), (source,), outputs)


JOINED = {
    "two": mixed((2, 5), rows=5),
    "three": mixed((3, 1, 6), rows=6),
    "many_rows": mixed((3, 3), rows=8, sees_all=True),
}
LEFT = {
    "turned": mixed((2, 5), rows=5, order=-1),
    "an_output_between": mixed((2, 5), rows=5, has_inner=True),
}


@pytest.mark.parametrize("name", [*JOINED, *LEFT])
def test_the_bytes_are_those_of_tflm(name: str, tmp_path: Path) -> None:
    model = {**JOINED, **LEFT}[name]
    nodes = [node.op for node in passed(model).nodes]
    assert (nodes == ["depthwise_conv_2d"]) == (name in JOINED)
    file = build_model(model)
    compiled = compile_model(Request(file, "model", host(), checked=True))
    samples, truth = samples_and_truth(file, count=5)
    assert run_on_host(compiled.files, compiled.interface, samples, folder=tmp_path) == truth
