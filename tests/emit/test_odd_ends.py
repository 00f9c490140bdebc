"""What a model's ends may be: inputs that nobody reads, outputs that are inputs, constants or given
twice, int8 and float32 side by side, an open batch: TFLM's bytes from the C."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.combined import SANITIZED, Job, run_combined, target_or_skip
from tests.support.operator_cases import (
    expected_bytes,
    file_of,
    graph_of,
    result_bytes,
    sample_bytes,
)
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, TensorSpec
from tinyml_rules.ops._shared.cases.case import constant, quantized, random_case

SHAPE = (1, 5)
X, Y, Z = (quantized(name, SHAPE) for name in ("x", "y", "z"))
C = constant("c", [[1, -2, 3, -4, 5]], scales=(0.5,))
OPEN = (-1, 5)


def _add(one: int, other: int, result: int) -> OperatorSpec:
    return OperatorSpec("ADD", (one, other), (result,))


def _real(name: str) -> TensorSpec:
    return TensorSpec(name, SHAPE, "float32")


def _quantize(source: int, result: int) -> OperatorSpec:
    return OperatorSpec("QUANTIZE", (source,), (result,))


def _dequantize(source: int, result: int) -> OperatorSpec:
    return OperatorSpec("DEQUANTIZE", (source,), (result,))


DOUBLE = ModelSpec((X, Y), (_add(0, 0, 1),), (0,), (1,))
REAL = ModelSpec(
    (_real("a"), X, Y, _real("b")),
    (_quantize(0, 1), _add(1, 1, 2), _dequantize(2, 3)),
    (0,),
    (3,),
)
MODELS = {
    "one_output_twice": replace(DOUBLE, outputs=(1, 1)),
    "the_input_twice": replace(DOUBLE, outputs=(0, 1, 0)),
    "the_input_alone": ModelSpec((X,), (), (0,), (0,)),
    "a_constant_alone": ModelSpec((X, C), (), (0,), (1,)),
    "a_constant_twice": ModelSpec((X, C, Y), (_add(1, 0, 2),), (0,), (1, 2, 1)),
    "a_computed_constant": ModelSpec((X, C, Y), (_add(1, 1, 2),), (0,), (2,)),
    "a_constant_as_real_numbers": ModelSpec((X, C, _real("d")), (_dequantize(1, 2),), (0,), (2,)),
    "an_input_unread": ModelSpec((X, Y, Z), (_add(0, 0, 2),), (0, 1), (2,)),
    "all_inputs_unread": ModelSpec((X, Y, C), (), (0, 1), (2,)),
    "one_name": ModelSpec((X, X, X), (_add(0, 1, 2),), (0, 1), (2, 0)),
    "no_dimensions": ModelSpec(
        (quantized("x", ()), quantized("y", ())), (_add(0, 0, 1),), (0,), (1,)
    ),
    "an_open_batch": ModelSpec(
        (replace(X, shape_signature=OPEN), replace(Y, shape_signature=OPEN)),
        (_add(0, 0, 1),),
        (0,),
        (1,),
    ),
    "real_twice": replace(REAL, outputs=(3, 3)),
    "real_once_more": replace(
        REAL,
        tensors=(*REAL.tensors, _real("again")),
        operators=(*REAL.operators, _dequantize(2, 4)),
        outputs=(4, 3),
    ),
    "real_and_int8": replace(
        REAL,
        tensors=(*REAL.tensors, _real("c"), _real("d"), Z),
        operators=(*REAL.operators, OperatorSpec("RELU", (4,), (5,))),
        inputs=(4, 6, 0),
        outputs=(2, 5, 3, 4, 6, 0),
    ),
}


@pytest.mark.parametrize("target_name", ["host", SANITIZED, "atmega328"])
def test_ends(target_name: str, tmp_path: Path) -> None:
    cases = {name: random_case(model) for name, model in MODELS.items()}
    graphs = {name: graph_of(case, name=name) for name, case in cases.items()}
    jobs = [
        Job(name, file_of(case), sample_bytes(case, graphs[name])) for name, case in cases.items()
    ]
    outputs = run_combined(target_or_skip(target_name), jobs, folder=tmp_path)
    found = {name: result_bytes(cases[name], graphs[name], each) for name, each in outputs.items()}
    assert found == {name: expected_bytes(case) for name, case in cases.items()}
