"""Constants at their ends: weights of 0 alone, biases at the limits of int32, scales that leave no
value between the clamps, models with one answer; each gives TFLM's bytes, by itself and in front of
another layer, and on a part with an int of 16 bits too."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.support.combined import SANITIZED, Job, run_combined, target_or_skip
from tests.support.operator_cases import (
    file_of,
    graph_of,
    is_right,
    oracle_bytes,
    result_bytes,
    sample_bytes,
)
from tinyml_rules.arithmetic.fixed_point import INT32_MAX, INT32_MIN, Activation
from tinyml_rules.compiler import compile_model
from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.case import Case, random_case, with_tensor
from tinyml_rules.ops.conv_2d.cases import conv
from tinyml_rules.ops.depthwise_conv_2d.cases import depthwise
from tinyml_rules.ops.fully_connected.cases import dense
from tinyml_rules.request.request import Request
from tinyml_rules.target.target import load_target


def with_bias(model: ModelSpec, *ends: int) -> ModelSpec:
    """The layer with biases that are these in turn."""
    data = np.resize(np.array(ends, np.int32), model.tensors[2].shape)
    return with_tensor(model, 2, data=data)


def zero(model: ModelSpec) -> ModelSpec:
    """The layer with weights of 0 alone."""
    return with_tensor(model, 1, data=np.zeros(model.tensors[1].shape, np.int8))


def then_dense(first: ModelSpec) -> ModelSpec:
    """The layer in front of one that takes all of its output."""
    shape = first.tensors[-1].shape
    count = int(np.prod(shape))
    last = dense(shape, (1, 5), input_count=count)
    shift = len(first.tensors) - 1
    (layer,) = last.operators
    moved = replace(
        layer,
        inputs=tuple(index + shift for index in layer.inputs),
        outputs=tuple(index + shift for index in layer.outputs),
    )
    return replace(
        first,
        tensors=(*first.tensors, *last.tensors[1:]),
        operators=(*first.operators, moved),
        outputs=moved.outputs,
    )


def extremes(
    name: str, plain: ModelSpec, saturating: ModelSpec, relu: ModelSpec
) -> dict[str, Case]:
    """A layer with each kind of constants; `saturating`: its sums times 2^20."""
    models = {
        "zero_weights": zero(plain),
        "zero_weights_biases_at_limits": with_bias(zero(plain), INT32_MAX, INT32_MIN, 0),
        "biases_at_limits": with_bias(plain, INT32_MAX, INT32_MIN, 7),
        "saturated": saturating,
        "saturated_at_limits": with_bias(saturating, INT32_MAX, INT32_MIN, -1, 1),
        "one_answer": with_bias(relu, -(2**24)),
    }
    return {
        f"{name}_{kind}{suffix}": random_case(build(model))
        for kind, model in models.items()
        for suffix, build in (("", lambda model: model), ("_then_dense", then_dense))
    }


RELU: dict[str, Any] = {"activation": Activation.RELU}
LARGE: dict[str, Any] = {"factor": 2.0**20}
IMAGE = (1, 5, 4, 3)
CASES: Mapping[str, Case] = {
    **extremes("conv", conv(IMAGE), conv(IMAGE, **LARGE), conv(IMAGE, **RELU)),
    **extremes(
        "depthwise",
        depthwise(IMAGE, (3, 3)),
        depthwise(IMAGE, (3, 3), **LARGE),
        depthwise(IMAGE, (3, 3), **RELU),
    ),
    **extremes("dense", dense(), dense(**LARGE), dense(**RELU)),
}


@pytest.mark.parametrize("name", CASES)
def test_meaning(name: str) -> None:
    """The operators' meanings in numpy, once the passes have left out what is constant."""
    case = CASES[name]
    graph = graph_of(case, name=name)
    assert is_right(case, result_bytes(case, graph, oracle_bytes(case, graph)))


@pytest.mark.parametrize("part", [SANITIZED, "atmega328", "nrf52840", "mps3_an547"])
def test_c(part: str, tmp_path: Path) -> None:
    """All of them in C."""
    target = target_or_skip(part)
    graphs = {name: graph_of(case, name=name) for name, case in CASES.items()}
    jobs = [
        Job(name, file_of(case), sample_bytes(case, graphs[name])) for name, case in CASES.items()
    ]
    outputs = run_combined(target, jobs, folder=tmp_path)
    assert len(outputs) == len(CASES)
    wrong = [
        name
        for name, case in CASES.items()
        if not is_right(case, result_bytes(case, graphs[name], outputs[name]))
    ]
    assert wrong == []


@pytest.mark.parametrize("kind", ["zero_weights_then_dense", "one_answer_then_dense"])
@pytest.mark.parametrize("layer", ["conv", "depthwise", "dense"])
def test_one_answer_takes_no_products(layer: str, kind: str) -> None:
    """A model whose output is constant has nothing left to compute, and says so."""
    case = CASES[f"{layer}_{kind}"]
    report = compile_model(Request(file_of(case), "m", load_target("atmega328"))).report
    assert report.macs == 0
    assert {each.op for each in report.trimmed} >= {"fully_connected"}
