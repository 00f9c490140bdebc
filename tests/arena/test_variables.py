"""Models that keep values from one inference to the next: where those lie, and how they begin."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.emit.compiled import build_program, compile_c
from tests.support.chained import chained
from tests.support.hand_written import target_or_skip
from tests.support.tflm import AnyArray, tflm_outputs
from tinyml_rules.compiler import compile_model
from tinyml_rules.ir.interface import ArenaMode
from tinyml_rules.model_file.writer import ModelSpec, build_model
from tinyml_rules.ops._shared.cases.case import random
from tinyml_rules.ops._shared.cases.reduction import reduction
from tinyml_rules.ops.conv_2d.cases import conv
from tinyml_rules.ops.svdf.cases import svdf
from tinyml_rules.request.request import Request
from tinyml_rules.runners.model import run_model
from tinyml_rules.system.process import run_program

COUNT = 12
LAYERS = chained(conv(), reduction("MEAN", (1, 5, 4, 3)), svdf(input_count=3))
MODELS = {
    "svdf": svdf(),
    "two": chained(svdf(), svdf(input_count=4, dtype="int8")),
    "layers": LAYERS,
}


def samples_of(model: ModelSpec) -> AnyArray:
    """Random inputs that follow one another."""
    shape = (COUNT, *model.tensors[model.inputs[0]].shape)
    return random(6).integers(-128, 128, shape).astype(np.int8)


@pytest.mark.parametrize("part", ["host", "nrf52840", "atmega328"])
@pytest.mark.parametrize("arena", list(ArenaMode))
@pytest.mark.parametrize("name", [*MODELS, "pushed"])
def test_sequence(name: str, arena: ArenaMode, part: str, tmp_path: Path) -> None:
    """Nothing is reset between the samples; on the host every dead byte is overwritten."""
    target, model = target_or_skip(part), MODELS.get(name, LAYERS)
    data, samples = build_model(model), samples_of(model)
    request = Request(
        data,
        "model",
        target,
        arena=arena,
        push_rows=name == "pushed",
        checked=part == "host",
    )
    outcome = run_model(compile_model(request), target, samples.tobytes(), folder=tmp_path)
    (expected,) = tflm_outputs(data, [samples], is_sequence=True)
    assert outcome.output == expected.tobytes()


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
            model_invoke();
            fwrite(model_output(), 1, MODEL_OUTPUT_COUNT, stdout);
        }
    }
    return 0;
}
"""


@pytest.mark.parametrize("name", MODELS)
def test_reset(name: str, tmp_path: Path) -> None:
    """The same sequence gives the same outputs behind a reset, and others without."""
    program = build_program(MAIN, compile_c(MODELS[name]), folder=tmp_path)
    done = run_program([str(program)], where="program", timeout_s=60)
    first, without, again = np.frombuffer(done.stdout, np.int8).reshape(3, -1)
    assert first.tolist() == again.tolist() != without.tolist()
