"""A network of int16 with weights of int8 gives TFLM's bytes on every kind of processor, with its
ends in integers and in real numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from tests.ops.test_cases import wrong_in_c
from tests.support.combined import SANITIZED
from tests.support.operator_cases import expected_bytes, file_of
from tinyml_rules.compiler import compile_model
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, TensorSpec
from tinyml_rules.ops._shared.cases.case import AnyArray, Case, constant, random
from tinyml_rules.request.request import Request
from tinyml_rules.runners.outputs import output_lines
from tinyml_rules.target.target import load_target

TARGETS = (SANITIZED, "atmega1284p", "nrf52840", "riscv32imc")
STEP = 2.0**-12
"""The scale of the input."""
WINDOW = {
    "Padding": 0,
    "StrideH": 2,
    "StrideW": 2,
    "DilationHFactor": 1,
    "DilationWFactor": 1,
    "FusedActivationFunction": 1,
}


def values(name: str, shape: tuple[int, ...], scale: float) -> TensorSpec:
    """An activation."""
    return TensorSpec(name, shape, "int16", (scale,), (0,))


def weighted(shape: tuple[int, ...], scale: float, *, axis: int) -> tuple[TensorSpec, TensorSpec]:
    """Random weights and a bias for inputs of this scale."""
    generator, outputs = random(len(shape) + axis), shape[axis]
    scales = [0.01 * 1.1**index for index in range(outputs)]
    weights = constant("w", generator.integers(-127, 128, shape), scales=scales, axis=axis)
    data = generator.integers(-(10**6), 10**6, outputs)
    of_sums = tuple(scale * each for each in scales)
    return weights, TensorSpec("b", data.shape, "int64", of_sums, (0,) * outputs, data=data)


def network(*, is_real: bool) -> ModelSpec:
    """Three weighted operators, the last after a change of shape; `is_real`: between conversions
    from and to float32."""
    tensors = (
        *(TensorSpec("x", (1, 10, 10, 1), "float32"), values("q", (1, 10, 10, 1), STEP)),
        *(*weighted((8, 3, 3, 1), STEP, axis=0), values("c", (1, 5, 5, 8), 2.0**-10)),
        *(*weighted((1, 3, 3, 8), 2.0**-10, axis=3), values("d", (1, 5, 5, 8), 2.0**-9)),
        TensorSpec("shape", (2,), "int32", data=np.array([1, 200], np.int32)),
        values("r", (1, 200), 2.0**-9),
        *(*weighted((6, 200), 2.0**-9, axis=0), values("f", (1, 6), 2.0**-7)),
        TensorSpec("y", (1, 6), "float32"),
    )
    depthwise = {**WINDOW, "StrideH": 1, "StrideW": 1, "DepthMultiplier": 1}
    operators = (
        OperatorSpec("QUANTIZE", (0,), (1,)),
        OperatorSpec("CONV_2D", (1, 2, 3), (4,), WINDOW),
        OperatorSpec("DEPTHWISE_CONV_2D", (4, 5, 6), (7,), depthwise),
        OperatorSpec("RESHAPE", (7, 8), (9,)),
        OperatorSpec("FULLY_CONNECTED", (9, 10, 11), (12,)),
        OperatorSpec("DEQUANTIZE", (12,), (13,)),
    )
    ends = ((0,), (13,)) if is_real else ((1,), (12,))
    return ModelSpec(tensors, operators if is_real else operators[1:-1], *ends)


def samples() -> AnyArray:
    """Integers, both ends of int16 among them."""
    drawn = random(5).integers(-32768, 32768, (4, 1, 10, 10, 1)).astype(np.int16)
    drawn[-2], drawn[-1] = -32768, 32767
    return drawn


def cases() -> Mapping[str, Case]:
    """The network with either kind of ends."""
    found = samples()
    real = (found * STEP).astype(np.float32)
    return {
        "int16_network": Case(network(is_real=False), (found,)),
        "int16_network_real": Case(network(is_real=True), (real,)),
    }


@pytest.mark.parametrize("target_name", TARGETS)
def test_on_targets(target_name: str, tmp_path: Path) -> None:
    """The bytes of TFLM, which are no constants."""
    found = cases()
    answers = np.frombuffer(expected_bytes(found["int16_network"]), np.int16).reshape(4, 6)
    assert len(np.unique(answers)) > answers.size / 2
    assert not wrong_in_c(found, target_name, folder=tmp_path)


def test_kernels_and_lines() -> None:
    """Sums of 32 bits are enough, and what `run` prints of a real output has its int16 values."""
    model = file_of(cases()["int16_network_real"])
    compiled = compile_model(Request(model, "net", load_target("host")))
    kernels = re.findall(r"struct net_(\w+)_params \{", compiled.files["net.c"])
    assert sorted(kernels) == [
        "conv_2d_int16_once",
        "depthwise_conv_2d_int16_once",
        "fully_connected_per_axis_int16_once",
    ]
    (port,) = compiled.interface.outputs
    real = np.array([[-256, 255.9921875, 1, 0, 2, 3]], np.float32)
    lines = "\n".join(output_lines(compiled.interface, {port.tensor: real}))
    assert "integers -32768 32767 128 0 256 384" in lines
