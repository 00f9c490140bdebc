"""Inputs and outputs of every type, inputs that nobody reads, outputs that are inputs or constants:
through headers, accessors, arrays and test images."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.support.hand_written import target_or_skip
from tests.support.tflm import AnyArray, tflm_outputs
from tinyml_rules.compiler import compile_model
from tinyml_rules.ir.interface import ArenaMode
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, TensorSpec, build_model
from tinyml_rules.ops._shared.cases.case import quantized
from tinyml_rules.request.request import Request
from tinyml_rules.runners.arrays import pack_samples, unpack_samples
from tinyml_rules.runners.model import run_model

SAMPLES = 3
TYPES = ("uint8", "int16", "int32", "int64", "bool", "float32")


def model_of_types() -> ModelSpec:
    """RESHAPE of each type, an input that is an output, one that nobody reads, a constant."""
    sources = [TensorSpec(f"from_{name}", (2, 3), name) for name in TYPES]
    results = [TensorSpec(f"to_{name}", (3, 2), name) for name in TYPES]
    rest = (
        quantized("same", (1, 5)),
        TensorSpec("unread", (7,), "float32"),
        quantized("x", (1, 4)),
        TensorSpec("whole", (1, 4), "int32"),
        TensorSpec("fixed", (2, 2), "int32", data=np.array([[1, -2], [3, 2**31 - 1]], np.int32)),
    )
    count = len(TYPES)
    same, unread, x, whole, fixed = range(2 * count, 2 * count + 5)
    operators = [OperatorSpec("RESHAPE", (each,), (count + each,)) for each in range(count)]
    operators.append(OperatorSpec("CAST", (x,), (whole,)))
    return ModelSpec(
        (*sources, *results, *rest),
        tuple(operators),
        inputs=(*range(count), same, unread, x),
        outputs=(*range(count, 2 * count), same, whole, fixed),
    )


def samples_of(model: ModelSpec) -> list[AnyArray]:
    """Random bytes of each input's type."""
    generator = np.random.default_rng(1)
    found: list[AnyArray] = []
    for index in model.inputs:
        tensor = model.tensors[index]
        size = (SAMPLES, *tensor.shape)
        if tensor.dtype == "float32":
            found.append(generator.normal(0, 100, size).astype(np.float32))
        elif tensor.dtype == "bool":
            found.append(generator.integers(0, 2, size).astype(np.bool_))
        else:
            limits = np.iinfo(tensor.dtype)
            values = generator.integers(
                limits.min, limits.max, size, dtype=tensor.dtype, endpoint=True
            )
            found.append(values)
    return found


@pytest.mark.parametrize("arena", ArenaMode)
@pytest.mark.parametrize("target", ["host", "atmega328", "nrf52840"])
def test_every_type(target: str, arena: ArenaMode, tmp_path: Path) -> None:
    """TFLM's outputs, type and byte."""
    part, model = target_or_skip(target), model_of_types()
    data, samples = build_model(model), samples_of(model)
    compiled = compile_model(Request(data, "model", part, arena=arena))
    assert compiled.report.interface == compiled.interface
    inputs = {
        port.tensor: each for port, each in zip(compiled.interface.inputs, samples, strict=True)
    }
    packed = pack_samples(compiled.interface, inputs, where="test")
    outcome = run_model(compiled, part, packed, folder=tmp_path)
    outputs = unpack_samples(compiled.interface, outcome.output)
    expected = tflm_outputs(data, samples)
    for port, truth in zip(compiled.interface.outputs, expected, strict=True):
        found = outputs[port.tensor]
        assert (found.dtype, found.shape) == (truth.dtype, truth.shape)
        np.testing.assert_array_equal(found, truth)


def test_header() -> None:
    """The accessors have the plain types; what is not quantized has no scale."""
    header = compile_model(
        Request(build_model(model_of_types()), "model", target_or_skip("host"))
    ).files["model.h"]
    for line in (
        "uint8_t *model_input_from_uint8(void);",
        "const int64_t *model_output_to_int64(void);",
        "const bool *model_output_to_bool(void);",
        "const float *model_output_to_float32(void);",
        "#define MODEL_INPUT_UNREAD_COUNT 7",
        "#define MODEL_INPUT_SAME_SCALE 0.5f",
    ):
        assert line in header
    assert "MODEL_INPUT_UNREAD_SCALE" not in header
    assert "model_quantize_input_unread" not in header
