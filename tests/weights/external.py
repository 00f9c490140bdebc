"""Builds and runs a model with its weights outside flash, as every test here does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tests.support.hand_written import target_or_skip
from tests.support.tflm import tflm_outputs
from tinyml_rules.compiler import Compiled, compile_model
from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops.conv_2d.cases import conv
from tinyml_rules.ops.fully_connected.cases import dense
from tinyml_rules.reporting.record import to_json
from tinyml_rules.request.request import Request, Weights
from tinyml_rules.runners import run_image
from tinyml_rules.runners.model import build_test, run_model
from tinyml_rules.target.target import Target, load_target

AnyArray = npt.NDArray[Any]
Int8Array = npt.NDArray[np.int8]


def compile_external(
    model: bytes, *, target: Target | None = None, name: str = "model", **settings: Any
) -> Compiled:
    """Compile with external weights; `settings` are more of the request's fields."""
    part = target or load_target("host")
    return compile_model(Request(model, name, part, weights=Weights.EXTERNAL, **settings))


def run_external(
    model: bytes,
    samples: Int8Array,
    folder: Path,
    *,
    target: str = "host",
    known: bytes = b"",
    outputs_of: Callable[[bytes, Sequence[AnyArray]], Sequence[AnyArray]] = tflm_outputs,
    **settings: Any,
) -> dict[str, Any]:
    """Run the samples, assert that the output is the reference's byte for byte, and return the
    report, on parts with what was measured.

    `known`: a model that means the same, if the reference does not take this one."""
    part = target_or_skip(target)
    compiled = compile_external(model, target=part, **settings)
    (expected,) = outputs_of(known or model, [samples])
    if part.memory is None:  # nothing of this computer is measured
        image = build_test(compiled, part, folder=folder)
        report, output = compiled.report, run_image(part, image, samples.tobytes()).output
    else:
        outcome = run_model(compiled, part, samples.tobytes(), folder=folder)
        report, output = outcome.report, outcome.output
    found = np.frombuffer(output, expected.dtype).reshape(expected.shape)
    np.testing.assert_array_equal(found, expected)
    return to_json(report)


def random_samples(*shape: int, seed: int = 1) -> Int8Array:
    """The same random int8 values every time."""
    return np.random.default_rng(seed).integers(-128, 128, shape).astype(np.int8)


def conv_then_dense(
    *, is_per_axis: bool, bits: int = 8, values: Int8Array | None = None
) -> ModelSpec:
    """CONV_2D with its output 1x5x4x3 into FULLY_CONNECTED, which can take it row by row; `values`
    are its weights, random ones for six outputs by default."""
    first, outputs = conv(), 6 if values is None else len(values)
    last = dense(
        (1, 5, 4, 3),
        (1, outputs),
        input_count=60,
        is_per_axis=is_per_axis,
        bias_size=None,
        bits=bits,
        values=values,
    )
    (layer,) = last.operators
    shift = len(first.tensors) - 1  # tensor 0 of the second model is the output of the first
    return replace(
        first,
        tensors=(*first.tensors, *last.tensors[1:]),
        operators=(
            *first.operators,
            replace(
                layer,
                inputs=tuple(index if index < 0 else index + shift for index in layer.inputs),
                outputs=tuple(index + shift for index in layer.outputs),
            ),
        ),
        outputs=tuple(index + shift for index in last.outputs),
    )
