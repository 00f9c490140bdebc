"""Weights of graphs that nodes run: outside flash, and beyond the reach of 16-bit addresses."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pytest

from tests.support.combined import Job, run_combined, target_or_skip
from tests.support.tflm import AnyArray, tflm_outputs
from tests.weights.external import compile_external
from tinyml_rules.lower.far_weights import move_weights_far
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, TensorSpec, build_model
from tinyml_rules.ops._shared.cases.case import random
from tinyml_rules.ops.fully_connected.cases import dense
from tinyml_rules.plan import programs
from tinyml_rules.runners.model import run_model

COUNT = 4


def model() -> ModelSpec:
    """A layer, and one of two others behind it."""
    first, then, otherwise = (
        dense((1, 6), (1, 6), input_count=6, bias_size=None, is_per_axis=is_per_axis)
        for is_per_axis in (True, False, True)
    )
    source, result = first.inputs[0], first.outputs[0]
    count = len(first.tensors)
    tensors = (*first.tensors, TensorSpec("which", (1,), "bool"), then.tensors[then.outputs[0]])
    choice = OperatorSpec(
        "IF",
        (count, result),
        (count + 1,),
        {"ThenSubgraphIndex": 1, "ElseSubgraphIndex": 2},
    )
    return ModelSpec(
        tensors,
        (*first.operators, choice),
        (source, count),
        (count + 1,),
        others=(then, otherwise),
    )


def samples() -> tuple[AnyArray, AnyArray]:
    """Each branch twice."""
    values = random(4).integers(-128, 128, (COUNT, 1, 6)).astype(np.int8)
    return values, np.array([[True], [False], [True], [False]])


def packed() -> bytes:
    values, which = samples()
    rows = zip(values, which, strict=True)
    return b"".join(row.tobytes() + truth.tobytes() for row, truth in rows)


def expected() -> bytes:
    (outputs,) = tflm_outputs(build_model(model()), list(samples()))
    return outputs.tobytes()


@pytest.mark.parametrize("part", ["host", "atmega328"])
def test_external(part: str, tmp_path: Path) -> None:
    target = target_or_skip(part)
    compiled = compile_external(build_model(model()), target=target)
    outcome = run_model(compiled, target, packed(), folder=tmp_path)
    assert outcome.output == expected()


def test_far(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "move_weights_far", partial(move_weights_far, near_bytes=0))
    job = Job("model", build_model(model()), packed())
    outputs = run_combined(target_or_skip("atmega2560"), [job], folder=tmp_path)
    assert outputs == {"model": expected()}
    assert (tmp_path / "model.c").read_text().count("__memx") > 2
