"""Weights of four bits and groups of channels in streams: rows, pieces of rows, sums over rows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.support.chained import chained
from tests.support.combined import target_or_skip
from tests.support.tflm import tflm_outputs
from tests.weights.external import conv_then_dense, random_samples
from tinyml_rules.compiler import compile_model
from tinyml_rules.model_file.writer import ModelSpec, build_model
from tinyml_rules.ops.conv_2d.cases import conv
from tinyml_rules.ops.depthwise_conv_2d.cases import depthwise
from tinyml_rules.plan.schedule import Mode
from tinyml_rules.request.request import Request
from tinyml_rules.runners.model import run_model

FIRST, SECOND = (1, 8, 6, 4), (1, 8, 6, 6)
DENSE_WEIGHTS = 4
MODELS = {
    "groups": chained(
        conv(FIRST, outputs=6, groups=2), conv(SECOND, outputs=3, groups=3, bias_size=None)
    ),
    "int4": chained(
        conv(FIRST, outputs=6, bits=4), depthwise(SECOND, dilations=(2, 1), bits=4, bias_size=None)
    ),
    "int4_groups": chained(
        conv(FIRST, outputs=6, groups=2, bits=4),
        conv(SECOND, (1, 1), outputs=3, bits=4, bias_size=None),
    ),
    "dense": conv_then_dense(is_per_axis=False, bits=4),
    "dense_per_axis": conv_then_dense(is_per_axis=True, bits=4),
}


def known(model: ModelSpec) -> ModelSpec:
    """With weights of int8 in a dense layer: TFLM takes int4 ones only per tensor."""
    is_dense = model.operators[-1].name == "FULLY_CONNECTED"
    tensors = list(model.tensors)
    if is_dense:
        tensors[DENSE_WEIGHTS] = replace(tensors[DENSE_WEIGHTS], dtype="int8")
    return replace(model, tensors=tuple(tensors))


@pytest.mark.parametrize("target", ["host", "atmega328"])
@pytest.mark.parametrize("name", MODELS)
def test_stream(name: str, target: str, tmp_path: Path) -> None:
    """All layers run row by row, and in a checked build each row in two pieces."""
    model, part = MODELS[name], target_or_skip(target)
    samples = random_samples(3, *model.tensors[0].shape)
    request = Request(build_model(model), "model", part, schedule=Mode.STREAM, checked=True)
    compiled = compile_model(request)
    (expected,) = tflm_outputs(build_model(known(model)), [samples])
    outcome = run_model(compiled, part, samples.tobytes(), folder=tmp_path)
    found = np.frombuffer(outcome.output, np.int8).reshape(expected.shape)
    np.testing.assert_array_equal(found, expected)
