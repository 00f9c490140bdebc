"""Models whose inferences do not always give outputs: what the header says, and what comes out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.emit.compiled import build_program, compile_c
from tests.support.chained import chained
from tests.support.hand_written import target_or_skip
from tests.support.tflm import AnyArray, tflm_outputs
from tinyml_rules.compiler import compile_model
from tinyml_rules.errors import UnsupportedError
from tinyml_rules.ir.interface import ArenaMode
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, build_model
from tinyml_rules.ops._shared.cases.case import random
from tinyml_rules.ops.circular_buffer.cases import buffer, in_a_row
from tinyml_rules.ops.unidirectional_sequence_lstm.cases import lstm
from tinyml_rules.request.request import Request
from tinyml_rules.runners.model import run_model
from tinyml_rules.system.process import run_program

COUNT = 11
MODELS = {"one": buffer(cycles=3), "row": in_a_row()}


def samples_of(model: ModelSpec) -> AnyArray:
    """Random inputs that follow one another."""
    shape = (COUNT, *model.tensors[model.inputs[0]].shape)
    return random(6).integers(-128, 128, shape).astype(np.int8)


def expected_outputs(model: ModelSpec, samples: AnyArray) -> bytes:
    """Those of every third inference."""
    outputs = tflm_outputs(build_model(model), [samples], is_sequence=True)
    is_new = np.arange(1, COUNT + 1) % 3 == 0
    assert all(not each[~is_new].any() and each[is_new].any() for each in outputs)
    rows = [each[is_new].reshape(is_new.sum(), -1) for each in outputs]
    return np.concatenate(rows, axis=1).tobytes()


@pytest.mark.parametrize("part", ["host", "nrf52840", "atmega328"])
@pytest.mark.parametrize("arena", [ArenaMode.STATIC, ArenaMode.CALLER])
@pytest.mark.parametrize("name", MODELS)
def test_sequence(name: str, arena: ArenaMode, part: str, tmp_path: Path) -> None:
    """Only new outputs are written; on the host every dead byte is overwritten."""
    target, model = target_or_skip(part), MODELS[name]
    samples = samples_of(model)
    request = Request(build_model(model), "model", target, arena=arena, checked=part == "host")
    compiled = compile_model(request)
    assert compiled.report.interface == compiled.interface
    outcome = run_model(compiled, target, samples.tobytes(), folder=tmp_path)
    assert outcome.output == expected_outputs(model, samples)


def remembering() -> ModelSpec:
    """An LSTM of one step, three of whose results are an output."""
    layer = lstm(steps=1, units=4)
    result = layer.tensors[layer.outputs[0]]
    row = replace(result, name="row", shape=(1, 1, 1, 4))
    shape = ModelSpec((result, row), (OperatorSpec("RESHAPE", (0,), (1,)),), (0,), (1,))
    kept = buffer(cycles=3)
    slots = replace(row, name="slots", shape=kept.tensors[1].shape, is_variable=True)
    only = ModelSpec((row, slots), kept.operators[:1], (0,), (1,))
    return chained(layer, shape, only)


@pytest.mark.parametrize("part", ["host", "atmega328"])
def test_variables_next_to_a_shared_arena(part: str, tmp_path: Path) -> None:
    """Hidden state, cell, slots and the place in the cycle are in an array of the model's own."""
    target, model = target_or_skip(part), remembering()
    samples = samples_of(model)
    request = Request(
        build_model(model), "model", target, arena=ArenaMode.SHARED, checked=part == "host"
    )
    compiled = compile_model(request)
    assert compiled.report.variable_bytes >= 4 + 2 * 4 + 3 * 4
    outcome = run_model(compiled, target, samples.tobytes(), folder=tmp_path)
    assert outcome.output == expected_outputs(model, samples)


def test_header() -> None:
    header = compile_model(
        Request(build_model(MODELS["one"]), "model", target_or_skip("host"))
    ).files["model.h"]
    assert "#include <stdbool.h>" in header
    assert "bool model_invoke(void);" in header
    assert "returns true where they are new" in header


def test_without_an_end() -> None:
    """A cycle of one call gives outputs each time."""
    request = Request(build_model(buffer(cycles=1)), "model", target_or_skip("host"))
    assert "void model_invoke(void);" in compile_model(request).files["model.h"]


def test_refused() -> None:
    """Pushed rows, which nobody would know to belong to what inference."""
    request = Request(build_model(MODELS["one"]), "model", target_or_skip("host"))
    with pytest.raises(UnsupportedError, match="some inferences end early"):
        compile_model(replace(request, push_rows=True))


MAIN = """
#include <stdio.h>
#include "model.h"

int main(void)
{
    for (int turn = 0; turn < 3; turn++) {
        if (turn != 1) {
            model_reset();
        }
        for (int sample = 0; sample < 4; sample++) {
            for (int i = 0; i < MODEL_INPUT_COUNT; i++) {
                model_input()[i] = (int8_t)(i * 31 + sample * 57);
            }
            putchar(model_invoke());
        }
    }
    return 0;
}
"""


def test_reset(tmp_path: Path) -> None:
    """Three calls make a cycle, which a reset begins anew."""
    program = build_program(MAIN, compile_c(MODELS["one"]), folder=tmp_path)
    done = run_program([str(program)], where="program", timeout_s=60)
    assert list(done.stdout) == [0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 1, 0]
