"""A microphone in front of models that keep something, and of those that give nothing at first."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.microphone.images import Case, hear
from tests.microphone.sounds import sounds
from tests.sensor.images import described
from tests.support.combined import SANITIZED, target_or_skip
from tests.support.microfrontend import reference_features
from tests.support.tflm import tflm_outputs
from tinyml_rules.compiler import compile_model
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, TensorSpec, build_model
from tinyml_rules.ops._shared.cases.case import quantized
from tinyml_rules.ops.circular_buffer.cases import buffer
from tinyml_rules.request.request import Request

ROWS, CHANNELS = 3, 40
SHAPE = (1, ROWS, CHANNELS)


def sum_of_all() -> bytes:
    """Each input is added to a variable, as those of microWakeWord's models keep old rows."""
    names = ("input", "old", "sum")
    tensors = (TensorSpec("handle", (), "resource"), *(quantized(name, SHAPE) for name in names))
    operators = (
        OperatorSpec("VAR_HANDLE", (), (0,), {"Container": "", "SharedName": "v"}),
        OperatorSpec("READ_VARIABLE", (0,), (2,)),
        OperatorSpec("ADD", (1, 2), (3,)),
        OperatorSpec("ASSIGN_VARIABLE", (0, 3), ()),
    )
    return build_model(ModelSpec(tensors, operators, (1,), (3,)))


def test_variables(tmp_path: Path) -> None:
    """A sequence of inferences of three rows, and the same again after a reset."""
    target = target_or_skip(SANITIZED)
    model, half = sum_of_all(), 16000
    samples = np.concatenate([sounds(1), sounds(1, seed=2)])
    sensor = described({"features": "microfrontend"}, tmp_path)
    made = compile_model(Request(model, "m", target, sensor=sensor, checked=True))
    found = hear(target, [Case("m", made, samples, reset_after=half // 160)], tmp_path)["m"]
    wanted = []
    for each in (samples[:half], samples[half:]):
        features = reference_features(each).astype(int)
        values = np.clip((features * 256 + 333) // 666 - 128, -128, 127).astype(np.int8)
        inputs = values[: len(values) // ROWS * ROWS].reshape(-1, *SHAPE)
        (outputs,) = tflm_outputs(model, [inputs], is_sequence=True)
        wanted.append(outputs.reshape(len(inputs), -1))
    assert np.array_equal(found.outputs, np.concatenate(wanted))


def test_early_ends(tmp_path: Path) -> None:
    """Only each second inference gives outputs, and only that is announced."""
    target = target_or_skip(SANITIZED)
    model = build_model(buffer(slot=(1, CHANNELS)))
    sensor = described({"features": "microfrontend"}, tmp_path)
    made = compile_model(Request(model, "m", target, sensor=sensor))
    samples = sounds(1)
    found = hear(target, [Case("m", made, samples)], tmp_path)["m"]
    features = reference_features(samples).astype(int)
    values = np.clip((features * 256 + 333) // 666 - 128, -128, 127).astype(np.int8)
    inputs = values.reshape(-1, 1, 1, 1, CHANNELS)
    (outputs,) = tflm_outputs(model, [inputs], is_sequence=True)
    new = found.is_new[2:]
    assert new.tolist() == [at % 2 == 1 for at in range(len(new))]
    assert np.array_equal(found.outputs, outputs.reshape(len(inputs), -1)[new])
