"""A GRU of float32 as converters write it: a loop over steps in time, whose body is layers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.support.combined import SANITIZED, Job, run_combined, target_or_skip
from tests.support.tflm import tflm_outputs
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, TensorSpec, build_model

STEPS, FEATURES, UNITS = 7, 5, 6
STEP, STATE, ROWS = (), (1, UNITS), (STEPS, 1, FEATURES)
LOOP = {"CondSubgraphIndex": 1, "BodySubgraphIndex": 2}


def real(name: str, *shape: int) -> TensorSpec:
    return TensorSpec(name, shape, "float32")


def loop_values() -> list[TensorSpec]:
    """What goes from turn to turn: the number of the step, the state, and all rows."""
    return [TensorSpec("step", STEP, "int32"), real("state", *STATE), real("rows", *ROWS)]


def condition() -> ModelSpec:
    """As long as there are rows."""
    tensors = (
        *loop_values(),
        TensorSpec("steps", STEP, "int32", data=np.array(STEPS, np.int32)),
        TensorSpec("again", STEP, "bool"),
    )
    return ModelSpec(tensors, (OperatorSpec("LESS", (0, 3), (4,)),), (0, 1, 2), (4,))


def body() -> ModelSpec:
    """Two gates, a candidate, and what the update gate makes of it and of the state."""
    generator = np.random.default_rng(27)
    tensors, operators = loop_values(), []

    def constant(values: object, dtype: str = "float32") -> int:
        data = np.asarray(values, dtype)
        tensors.append(TensorSpec(f"c{len(tensors)}", data.shape, dtype, data=data))
        return len(tensors) - 1

    def made(operator: str, *inputs: int, like: TensorSpec, **options: int) -> int:
        tensors.append(TensorSpec(f"t{len(tensors)}", like.shape, like.dtype))
        operators.append(OperatorSpec(operator, inputs, (len(tensors) - 1,), options))
        return len(tensors) - 1

    def layer(source: int, inputs: int) -> int:
        weights = constant(generator.normal(0, 0.6, (UNITS, inputs)))
        bias = constant(generator.normal(0, 0.2, UNITS))
        return made("FULLY_CONNECTED", source, weights, bias, like=real("", *STATE))

    def gate(operator: str, state: int) -> int:
        total = made("ADD", layer(row, FEATURES), layer(state, UNITS), like=real("", *STATE))
        return made(operator, total, like=real("", *STATE))

    row = made("GATHER", 2, 0, like=real("", 1, FEATURES), Axis=0)
    update, reset = gate("LOGISTIC", 1), gate("LOGISTIC", 1)
    candidate = gate("TANH", made("MUL", reset, 1, like=real("", *STATE)))
    kept = made("MUL", update, 1, like=real("", *STATE))
    rest = made("SUB", constant(1.0), update, like=real("", *STATE))
    new = made("MUL", rest, candidate, like=real("", *STATE))
    state = made("ADD", kept, new, like=real("", *STATE))
    step = made("ADD", 0, constant(1, "int32"), like=TensorSpec("", STEP, "int32"))
    return ModelSpec(tuple(tensors), tuple(operators), (0, 1, 2), (step, state, 2))


def gru() -> ModelSpec:
    """From rows to the state after the last."""
    tensors = (
        TensorSpec("step", STEP, "int32", data=np.array(0, np.int32)),
        TensorSpec("state", STATE, "float32", data=np.zeros(STATE, np.float32)),
        *loop_values()[2:],
        TensorSpec("steps done", STEP, "int32"),
        real("last", *STATE),
        real("same rows", *ROWS),
    )
    node = OperatorSpec("WHILE", (0, 1, 2), (3, 4, 5), LOOP)
    return ModelSpec(tensors, (node,), (2,), (4,), others=(condition(), body()))


@pytest.mark.parametrize("target_name", [SANITIZED, "atmega1284p", "nrf52840", "mps3_an547"])
def test_equals_tflm(target_name: str, tmp_path: Path) -> None:
    """Bit for bit, of parts with a float unit and without."""
    rows = np.random.default_rng(5).normal(0, 2, (6, *ROWS)).astype(np.float32)
    model = build_model(gru())
    (expected,) = tflm_outputs(model, [rows])
    jobs = [Job("gru", model, rows.tobytes())]
    found = run_combined(target_or_skip(target_name), jobs, folder=tmp_path)
    assert found["gru"] == expected.tobytes()
    assert np.abs(expected).max() < 1
    assert len(np.unique(expected)) > 30
