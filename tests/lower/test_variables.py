"""What is read from variables and assigned to them lies in them, where nobody can tell."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.support.hand_written import target_or_skip
from tests.support.stages import selected
from tests.support.tflm import tflm_outputs
from tinyml_rules.compiler import compile_model
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, TensorSpec, build_model
from tinyml_rules.ops._shared.cases.case import quantized, random
from tinyml_rules.ops.circular_buffer.cases import buffer
from tinyml_rules.plan.schedule import Mode
from tinyml_rules.request.request import Request
from tinyml_rules.runners.model import run_model

SHAPE = (1, 3, 2, 1)
COUNT = 7
HANDLE = TensorSpec("handle", (), "resource")
NAMED = OperatorSpec("VAR_HANDLE", (), (0,), {"Container": "", "SharedName": "v"})


def _read(result: int) -> OperatorSpec:
    return OperatorSpec("READ_VARIABLE", (0,), (result,))


def _assign(source: int) -> OperatorSpec:
    return OperatorSpec("ASSIGN_VARIABLE", (0, source), ())


def _add(one: int, other: int, result: int) -> OperatorSpec:
    return OperatorSpec("ADD", (one, other), (result,))


def _reshape(source: int, result: int) -> OperatorSpec:
    return OperatorSpec("RESHAPE", (source,), (result,), {"NewShape": list(SHAPE)})


def of(*operators: OperatorSpec, outputs: tuple[int, ...]) -> ModelSpec:
    """Tensor 0 is the handle, 1 the input, all others are computed."""
    count = 1 + max(index for each in operators for index in (*each.inputs, *each.outputs))
    tensors = (HANDLE, *(quantized(f"t{place}", SHAPE) for place in range(1, count)))
    return ModelSpec(tensors, (NAMED, *operators), (1,), outputs)


MODELS = {
    # copies that are left, and the model
    "sum": (1, of(_read(2), _add(1, 2, 3), _assign(3), outputs=(3,))),
    "made_in_it": (0, of(_read(2), _add(1, 2, 3), _add(3, 1, 4), _assign(4), outputs=(4,))),
    "made_in_it_and_read_then": (
        0,
        of(_read(2), _add(1, 2, 3), _add(3, 3, 4), _add(4, 4, 5), _assign(4), outputs=(5,)),
    ),
    "made_in_it_under_another_shape": (
        0,
        of(_read(2), _add(1, 2, 3), _add(3, 1, 4), _reshape(4, 5), _assign(5), outputs=(5,)),
    ),
    "old_behind_new": (
        1,
        of(_read(2), _add(1, 2, 3), _assign(3), _add(2, 3, 4), outputs=(4,)),
    ),
    "old_reshaped_behind_new": (
        2,
        of(_read(2), _reshape(2, 3), _assign(1), _add(3, 1, 4), outputs=(4,)),
    ),
    "old_is_an_output": (1, of(_read(2), _add(1, 2, 3), _assign(3), outputs=(2, 3))),
    "old_is_read_while_new_is_made": (
        1,
        of(_read(2), _add(1, 1, 3), _add(2, 3, 4), _assign(3), outputs=(4,)),
    ),
    "input": (1, of(_read(2), _add(1, 2, 3), _assign(1), outputs=(3,))),
    "read_again": (
        1,
        of(_read(2), _add(1, 2, 3), _assign(3), _read(4), _add(4, 1, 5), outputs=(5,)),
    ),
    "assigned_twice": (
        1,
        of(_add(1, 1, 2), _assign(2), _add(2, 1, 3), _assign(3), _add(3, 2, 4), outputs=(4,)),
    ),
    "assigned_to_itself": (2, of(_read(2), _assign(2), _add(2, 1, 3), outputs=(3,))),
    "two_reads": (
        1,
        of(
            _read(2),
            _read(3),
            _add(2, 3, 4),
            _add(4, 1, 5),
            _add(5, 3, 6),
            _assign(6),
            outputs=(5,),
        ),
    ),
}


def copies(model: ModelSpec) -> int:
    """Steps that copy from or to a variable."""
    return sum(step.node.op.endswith("_variable") for step in selected(model).steps)


@pytest.mark.parametrize("name", MODELS)
def test_copies(name: str) -> None:
    count, model = MODELS[name]
    assert copies(model) == count


def conv_of_old() -> ModelSpec:
    """Two pointwise steps and a window on the old values, which stream, and new ones."""
    shape = (1, 8, 6, 2)
    base = of(
        *(_read(2), OperatorSpec("RELU", (2,), (3,)), OperatorSpec("RELU6", (3,), (4,))),
        OperatorSpec(
            "MAX_POOL_2D",
            (4,),
            (5,),
            {"FilterWidth": 3, "FilterHeight": 3, "StrideW": 1, "StrideH": 1, "Padding": 0},
        ),
        _add(1, 1, 6),
        _assign(6),
        outputs=(5, 6),
    )
    tensors = [HANDLE, *(replace(each, shape=shape) for each in base.tensors[1:])]
    return replace(base, tensors=tuple(tensors))


@pytest.mark.parametrize(
    ("name", "mode"),
    [*((name, Mode.AUTO) for name in MODELS), *(("streamed", mode) for mode in Mode)],
)
def test_values(name: str, mode: Mode, tmp_path: Path) -> None:
    """TFLM's, in a build in which every dead byte is overwritten."""
    model = conv_of_old() if name == "streamed" else MODELS[name][1]
    host, data = target_or_skip("host"), build_model(model)
    shape = (COUNT, *model.tensors[1].shape)
    samples = random(6).integers(-20, 20, shape).astype(np.int8)
    compiled = compile_model(Request(data, "model", host, checked=True, schedule=mode))
    outcome = run_model(compiled, host, samples.tobytes(), folder=tmp_path)
    outputs = tflm_outputs(data, [samples], is_sequence=True)
    expected = np.concatenate([each.reshape(COUNT, -1) for each in outputs], axis=1)
    assert outcome.output == expected.tobytes()


@pytest.mark.parametrize(("name", "buffers"), [("sum", 2), ("made_in_it_and_read_then", 2)])
def test_ram(name: str, buffers: int) -> None:
    """The variable, and what holds first the input and then the sum."""
    request = Request(build_model(MODELS[name][1]), "model", target_or_skip("host"))
    assert compile_model(request).report.model_ram_bytes == buffers * np.prod(SHAPE)


def test_an_inference_that_ends_early() -> None:
    """What is assigned behind the end is not made in the variable before it."""
    gate = buffer()
    count = len(gate.tensors)
    named = replace(NAMED, outputs=(count,))
    operators = (
        OperatorSpec("ADD", (0, 0), (count + 1,)),
        named,
        *gate.operators,
        OperatorSpec("ASSIGN_VARIABLE", (count, count + 1), ()),
    )
    tensors = (*gate.tensors, HANDLE, quantized("double", (1, 1, 1, 4), zero_point=-7))
    assert copies(replace(gate, tensors=tensors, operators=operators)) == 1
