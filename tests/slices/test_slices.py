"""Slices of 1, 2 and 7 layers or rows give TFLM's bytes, whatever the model is made of."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.arena.test_variables import LAYERS
from tests.emit.compiled import STRICT_C, build_program, compile_c, write
from tests.ops.test_lstm import lstm_and_dense
from tests.pairs.requests import SHAPE, model
from tests.slices.programs import SIZES, Sliced, run_slices
from tests.support.combined import SANITIZED, target_or_skip
from tests.support.tflm import AnyArray, tflm_outputs
from tinyml_rules.compiler import Compiled, compile_model
from tinyml_rules.errors import UsageError
from tinyml_rules.ir.interface import ArenaMode
from tinyml_rules.model_file.writer import ModelSpec, build_model
from tinyml_rules.ops._shared.cases.case import Case, random
from tinyml_rules.ops.circular_buffer.cases import in_a_row
from tinyml_rules.ops.if_.cases import CASES as IF_CASES
from tinyml_rules.ops.while_.cases import CASES as WHILE_CASES
from tinyml_rules.plan.schedule import Mode
from tinyml_rules.request.request import Request
from tinyml_rules.system.process import run_tool
from tinyml_rules.target.target import Target

COUNT = 12
NETWORK = model()


def of_int8(data: bytes, shape: tuple[int, ...]) -> tuple[bytes, list[AnyArray]]:
    """A model of one int8 input with random samples."""
    return data, [random(6).integers(-128, 128, (COUNT, *shape)).astype(np.int8)]


def of_spec(spec: ModelSpec) -> tuple[bytes, list[AnyArray]]:
    return of_int8(build_model(spec), tuple(spec.tensors[spec.inputs[0]].shape))


def of_case(case: Case) -> tuple[bytes, list[AnyArray]]:
    """The samples of an operator's case, again and again."""
    repeated = [np.resize(each, (COUNT, *each.shape[1:])) for each in case.samples]
    return build_model(case.model), repeated


MODELS = {
    "rows": of_int8(NETWORK, SHAPE),
    "rows_of_callers": of_int8(NETWORK, SHAPE),
    "layers": of_int8(NETWORK, SHAPE),
    "early": of_spec(in_a_row()),
    "kept": of_spec(LAYERS),
    "lstm": of_spec(lstm_and_dense(12)),
    "while": of_case(WHILE_CASES["nested"]),
    "if": of_case(IF_CASES["computed"]),
}
STATEFUL = ("early", "kept", "lstm")
ARENAS = {"rows_of_callers": ArenaMode.CALLER, "early": ArenaMode.CALLER}


def compiled(name: str, target: Target) -> Compiled:
    mode = Mode.LAYER if name == "layers" else Mode.STREAM
    arena = ARENAS.get(name, ArenaMode.STATIC)
    request = Request(MODELS[name][0], f"m_{name}", target, slices=True, schedule=mode, arena=arena)
    return compile_model(replace(request, checked=target.architecture == "host"))


@pytest.mark.parametrize("part", [SANITIZED, "nrf52840", "atmega1284p"])
def test_equals_tflm(part: str, tmp_path: Path) -> None:
    """Samples take turns between the sizes; on the host every dead byte is overwritten."""
    target = target_or_skip(part)
    models = [Sliced(compiled(name, target), MODELS[name][1]) for name in MODELS]
    results = run_slices(target, models, tmp_path)
    for (name, (data, inputs)), (found, slices) in zip(MODELS.items(), results, strict=True):
        outputs = tflm_outputs(data, inputs, is_sequence=name in STATEFUL)
        rows = [np.ascontiguousarray(each).reshape(COUNT, -1).view(np.uint8) for each in outputs]
        np.testing.assert_array_equal(found, np.concatenate(rows, axis=1), name)
        assert slices[0] >= slices[1] >= slices[2] >= 1, name
    rows, layers = results[0][1].tolist(), results[2][1].tolist()
    assert layers[:3] == [4, 2, 1], "four layers"
    pieces = SHAPE[1] + SHAPE[1] // 2 * 2 + 1
    assert rows[0] == pieces, "rows of three layers, and a layer"
    assert rows[2] == -(-pieces // SIZES[2])


def test_reported() -> None:
    """The most of one slice is a row of the first convolution; what is kept is in the plan."""
    whole = compile_model(Request(NETWORK, "m", target_or_skip("atmega328"), schedule=Mode.STREAM))
    request = Request(NETWORK, "m", target_or_skip("atmega328"), schedule=Mode.STREAM, slices=True)
    made = compile_model(request)
    report = json.loads(made.documents["m.report.json"])
    side = SHAPE[1]
    assert report["slice_macs"] == side * 4 * 3 * 3 * SHAPE[3]
    assert whole.report.slice_macs is None
    counters = len(("input", "conv", "depthwise", "sums"))
    assert made.report.state_bytes == whole.report.state_bytes + 2 * (counters + 1)
    assert made.report.interface == made.interface


def test_nothing_to_do(tmp_path: Path) -> None:
    """A slice of nothing runs nothing, and more is left; a checked build stops there."""
    main = """
#include <stdio.h>
#include "model.h"

int main(void)
{
    printf("%d %d ", model_invoke_slice(0), model_invoke_slice(-7));
    printf("%d %d ", model_invoke_slice(1), model_invoke_slice(0));
    printf("%d %d\\n", model_invoke_slice(3), model_invoke_slice(0));
    return 0;
}
"""
    target = target_or_skip("host")
    request = Request(NETWORK, "model", target, slices=True, schedule=Mode.LAYER)
    expected = {False: (0, "1 1 1 1 0 1\n"), True: (None, "")}
    for is_checked, (status, text) in expected.items():
        folder = tmp_path / str(is_checked)
        folder.mkdir()
        made = compile_model(replace(request, checked=is_checked))
        program = build_program(main, made, folder=folder)
        result = subprocess.run([program], capture_output=True, text=True, check=False)
        assert result.stdout == text
        assert result.returncode == 0 if status == 0 else result.returncode < 0


def test_refused() -> None:
    request = Request(NETWORK, "m", target_or_skip("host"), slices=True, push_rows=True)
    with pytest.raises(UsageError) as caught:
        compile_model(request)
    assert str(caught.value) == (
        "m: error: slices, which need the whole input, and push_rows exclude each other, expected "
        "one of them\n  hint: with push_rows, each row is a part of the inference already"
    )


def test_no_slices() -> None:
    """Without the option nothing of it is in the C."""
    made = compile_c(NETWORK)
    assert "slice" not in made.files["model.h"] and "reset" not in made.files["model.h"]


@pytest.mark.parametrize(
    ("part", "compiler"),
    [
        ("host", ("gcc", "-std=c11", *STRICT_C)),
        ("atmega328", ("avr-gcc", "-mmcu=atmega328p", "-std=gnu99", *STRICT_C)),
    ],
)
def test_no_warnings(part: str, compiler: tuple[str, ...], tmp_path: Path) -> None:
    target = target_or_skip(part)
    for name in MODELS:
        write(compiled(name, target), tmp_path)
    files = [str(tmp_path / f"m_{name}.c") for name in MODELS]
    run_tool([*compiler, "-fsyntax-only", *files], where=part)
