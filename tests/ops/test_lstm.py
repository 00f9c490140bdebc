"""LSTM over many inferences: two layers in sequence, with a reset on the way, equal TFLM from fresh
interpreters, on the host under sanitizers and on emulators."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from tests.support.chained import chained
from tests.support.combined import SANITIZED, Job, run_combined, target_or_skip
from tests.support.tflm import AnyArray, tflm_outputs
from tinyml_rules.compiler import compile_model
from tinyml_rules.model_file.writer import ModelSpec, build_model
from tinyml_rules.ops._shared.cases.case import random, with_tensor
from tinyml_rules.ops.fully_connected.cases import dense
from tinyml_rules.ops.unidirectional_sequence_lstm.cases import lstm
from tinyml_rules.request.request import Request
from tinyml_rules.runners.model import run_model

COUNT, RESET = 60, 23
MODELS = {
    "one_vector": lstm(steps=1, units=9, input_count=11),
    "two_layers": chained(
        lstm(steps=2, batches=2, input_count=5, units=6, clip=1.5),
        lstm(steps=2, batches=2, input_count=6, units=3, power=-14),
    ),
    "int16": lstm("int16", steps=2, units=7, input_count=10, power=-13),
    "real": lstm("float32", steps=2, units=7, input_count=10),
}
_OF_LIBRARY = 2e-6
"""TFLM calls the functions of a C library."""


@cache
def samples_of(name: str) -> AnyArray:
    """Inputs that follow one another, from silence to both ends of the type."""
    model = MODELS[name]
    source, generator = model.tensors[model.inputs[0]], random(8)
    drawn = generator.normal(0, 1, (COUNT, *source.shape))
    drawn *= 2.0 ** generator.integers(-6, 4, (COUNT, *[1] * len(source.shape)))
    if source.dtype == "float32":
        return drawn.astype(np.float32)
    ends = np.iinfo(source.dtype)
    return np.clip(drawn * ends.max, ends.min, ends.max).astype(source.dtype)


@cache
def expected(name: str) -> AnyArray:
    """Of two fresh interpreters."""
    data, samples = build_model(MODELS[name]), samples_of(name)
    parts = (samples[:RESET], samples[RESET:])
    return np.concatenate([tflm_outputs(data, [each], is_sequence=True)[0] for each in parts])


@pytest.mark.parametrize("target_name", [SANITIZED, "nrf52840", "nrf51", "atmega1284p"])
def test_in_sequence(target_name: str, tmp_path: Path) -> None:
    """Every output of every inference."""
    jobs = [
        Job(
            name,
            build_model(model),
            samples_of(name).tobytes(),
            is_sequence=True,
            reset_before=RESET,
        )
        for name, model in MODELS.items()
    ]
    found = run_combined(target_or_skip(target_name), jobs, folder=tmp_path)
    assert not [name for name in MODELS if not _is_right(name, found[name])]


def _is_right(name: str, output: bytes) -> bool:
    wanted = expected(name)
    if name != "real":
        return output == wanted.tobytes()
    values = np.frombuffer(output, np.float32).reshape(wanted.shape)
    return bool(np.allclose(values, wanted, rtol=0, atol=_OF_LIBRARY))


def lstm_and_dense(steps: int, input_count: int = 9, units: int = 6, outputs: int = 4) -> ModelSpec:
    """A layer over vectors, and one that takes all of its outputs."""
    layer = lstm(steps=steps, input_count=input_count, units=units, power=-12)
    whole = (1, steps, units)
    after = dense(whole, (1, outputs), input_count=steps * units, zero_points=(-1, 3))
    return chained(layer, with_tensor(after, 0, scales=(1 / 128,)))


@pytest.mark.parametrize(
    ("part", "most"), [("nrf52840", 360_000), ("nrf51", 1_050_000), ("atmega1284p", 3_400_000)]
)
def test_cost(part: str, most: int, tmp_path: Path) -> None:
    """Instructions, or cycles of the AVR, of 113,120 multiply-accumulates."""
    target = target_or_skip(part)
    data = build_model(lstm_and_dense(28, input_count=28, units=20, outputs=10))
    samples = random(9).integers(-128, 128, (2, 1, 28, 28)).astype(np.int8)
    compiled = compile_model(Request(data, "model", target))
    assert compiled.report.macs == 113_120
    outcome = run_model(compiled, target, samples.tobytes(), folder=tmp_path)
    (wanted,) = tflm_outputs(data, [samples], is_sequence=True)
    assert outcome.output == wanted.tobytes()
    run = outcome.report.run
    assert run is not None
    taken = run.cycles or run.instructions
    assert taken is not None
    assert taken <= most


@pytest.mark.parametrize("part", ["host", "nrf52840", "atmega328"])
def test_pushed(part: str, tmp_path: Path) -> None:
    """Vectors one by one, from which the layer after it makes its sums: two sequences after each
    other, with less memory than the input has; on the host every dead byte is overwritten."""
    target, steps = target_or_skip(part), 12
    data = build_model(lstm_and_dense(steps))
    samples = random(9).integers(-128, 128, (4, 1, steps, 9)).astype(np.int8)
    request = Request(data, "model", target, push_rows=True, checked=part == "host")
    compiled = compile_model(request)
    assert compiled.report.arena_bytes < steps * 9
    outcome = run_model(compiled, target, samples.tobytes(), folder=tmp_path)
    (wanted,) = tflm_outputs(data, [samples], is_sequence=True)
    assert outcome.output == wanted.tobytes()


@pytest.mark.parametrize("name", MODELS)
def test_reset_matters(name: str) -> None:
    """Without it the outputs after it would be others."""
    (through,) = tflm_outputs(build_model(MODELS[name]), [samples_of(name)], is_sequence=True)
    assert (through[RESET] != expected(name)[RESET]).any()
