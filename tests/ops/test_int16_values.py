"""A network of int16 out of sums, products, pools and maps gives TFLM's bytes on every kind of
processor."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from tests.ops.test_cases import wrong_in_c
from tests.ops.test_int16_network import STEP, WINDOW, samples, values, weighted
from tests.support.combined import SANITIZED
from tests.support.operator_cases import expected_bytes
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, OptionValue, TensorSpec
from tinyml_rules.ops._shared.cases.case import Case, constant, random
from tinyml_rules.ops._shared.cases.shorts import short
from tinyml_rules.ops._shared.cases.strategies import Shape

TARGETS = (SANITIZED, "atmega1284p", "nrf51", "nrf52840", "mps3_an547", "riscv32imc")
IMAGE, SMALL, PIXEL = (1, 5, 5, 8), (1, 3, 3, 8), (1, 1, 1, 8)
POOL: Mapping[str, OptionValue] = {
    "Padding": 0,
    "StrideH": 2,
    "StrideW": 2,
    "FilterHeight": 2,
    "FilterWidth": 2,
}
WHOLE: Mapping[str, OptionValue] = {
    "Padding": 1,
    "StrideH": 1,
    "StrideW": 1,
    "FilterHeight": 5,
    "FilterWidth": 5,
}


class Network:
    """Tensors by number, and nodes."""

    def __init__(self) -> None:
        self.tensors: list[TensorSpec] = [values("x", (1, 10, 10, 1), STEP)]
        self.operators: list[OperatorSpec] = []

    def known(self, tensor: TensorSpec) -> int:
        """A constant."""
        self.tensors.append(tensor)
        return len(self.tensors) - 1

    def node(
        self,
        name: str,
        *inputs: int,
        shape: Shape,
        scale: float,
        options: Mapping[str, OptionValue] | None = None,
    ) -> int:
        """The number of its output."""
        self.tensors.append(short(f"t{len(self.tensors)}", shape, scale))
        result = len(self.tensors) - 1
        self.operators.append(OperatorSpec(name, inputs, (result,), options or {}))
        return result

    def weights(self, shape: Shape, source: int, *, axis: int) -> tuple[int, int]:
        """Weights and a bias for this input."""
        (scale,) = self.tensors[source].scales
        one, other = weighted(shape, scale, axis=axis)
        return self.known(one), self.known(other)


def network() -> ModelSpec:
    """Convolutions and a residual, gates, pools of both kinds that meet again, a dense layer."""
    net, generator = Network(), random(3)
    slopes = constant("slopes", generator.integers(-128, 128, (8,)), scales=(0.01,), zero_point=3)
    bounds = generator.integers(-9000, 9000, (8,)).astype(np.int16)
    clamped: Mapping[str, OptionValue] = {"FusedActivationFunction": 1}
    depthwise: Mapping[str, OptionValue] = {
        **WINDOW,
        "StrideH": 1,
        "StrideW": 1,
        "DepthMultiplier": 1,
    }

    first = net.weights((8, 3, 3, 1), 0, axis=0)
    conv = net.node("CONV_2D", 0, *first, shape=IMAGE, scale=2.0**-10, options=WINDOW)
    second = net.weights((1, 3, 3, 8), conv, axis=3)
    deep = net.node(
        "DEPTHWISE_CONV_2D", conv, *second, shape=IMAGE, scale=2.0**-9, options=depthwise
    )
    sum_of = net.node("ADD", conv, deep, shape=IMAGE, scale=0.0021, options=clamped)
    six = net.node("RELU6", sum_of, shape=IMAGE, scale=0.0021)
    mean = net.node("AVERAGE_POOL_2D", six, shape=PIXEL, scale=0.0021, options=WHOLE)
    gated = net.node("MUL", sum_of, mean, shape=IMAGE, scale=0.004)
    least = net.known(TensorSpec("b", (8,), "int16", (0.004,), (0,), data=bounds))
    above = net.node("MAXIMUM", gated, least, shape=IMAGE, scale=0.004)
    below = net.node("MINIMUM", above, gated, shape=IMAGE, scale=0.004)
    most = net.node("MAX_POOL_2D", above, shape=SMALL, scale=0.004, options=POOL)
    usual = net.node("AVERAGE_POOL_2D", below, shape=SMALL, scale=0.004, options=POOL)
    apart = net.node("SUB", usual, most, shape=SMALL, scale=0.003)
    slope = net.node("PRELU", apart, net.known(slopes), shape=SMALL, scale=0.002)
    leaky = net.node("LEAKY_RELU", slope, shape=SMALL, scale=0.0025, options={"Alpha": -0.3})
    size = net.node("ABS", apart, shape=SMALL, scale=0.004)
    square = net.node("SQUARED_DIFFERENCE", leaky, size, shape=SMALL, scale=0.05)
    joined = net.node(
        "CONCATENATION", leaky, size, shape=(1, 3, 3, 16), scale=0.0025, options={"Axis": 3}
    )
    joined = net.node("RELU", joined, shape=(1, 3, 3, 16), scale=0.003)
    last = net.weights((6, 144), joined, axis=0)
    dense = net.node("FULLY_CONNECTED", joined, *last, shape=(1, 6), scale=2.0**-8)
    return ModelSpec(tuple(net.tensors), tuple(net.operators), (0,), (dense, square))


CASE = Case(network(), (samples(),))


def test_outputs_vary() -> None:
    """Or nothing is compared."""
    answers = np.frombuffer(expected_bytes(CASE), np.int16)
    assert len(np.unique(answers)) > answers.size / 4


@pytest.mark.parametrize("target_name", TARGETS)
def test_on_targets(target_name: str, tmp_path: Path) -> None:
    """The bytes of TFLM."""
    assert not wrong_in_c({"int16_values": CASE}, target_name, folder=tmp_path)
