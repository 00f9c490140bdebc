"""A streaming network of int16 as in speech codecs, with variables between inferences, gives TFLM's
bytes in sequence on every kind of processor."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from tests.ops.test_cases import wrong_in_c
from tests.support.combined import SANITIZED
from tests.support.operator_cases import expected_bytes, graph_of, oracle_bytes
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, OptionValue, TensorSpec
from tinyml_rules.ops._shared.cases.case import Case, constant, int32s, random, typed, wide

TARGETS = (SANITIZED, "atmega1284p", "nrf51", "nrf52840", "riscv32imc")
FRAMES = 5
SCALE = 2.0**-12
VALID = {"Padding": 1, "StrideH": 1, "StrideW": 1, "FusedActivationFunction": 0}


class Network:
    """A model that grows by an operator at a time."""

    def __init__(self) -> None:
        self.tensors: list[TensorSpec] = []
        self.operators: list[OperatorSpec] = []

    def tensor(self, tensor: TensorSpec) -> int:
        """Its index."""
        self.tensors.append(tensor)
        return len(self.tensors) - 1

    def values(self, shape: tuple[int, ...], scale: float = SCALE) -> int:
        """An activation of int16."""
        return self.tensor(wide(f"t{len(self.tensors)}", shape, scale=scale))

    def add(
        self, name: str, inputs: tuple[int, ...], *outputs: int, **options: OptionValue
    ) -> None:
        """A node."""
        self.operators.append(OperatorSpec(name, inputs, outputs, options))

    def weighted(
        self, shape: tuple[int, ...], scale: float, *, axis: int, bias: str = "int64"
    ) -> tuple[int, int]:
        """Random weights, and a bias of this type, for inputs of this scale."""
        generator, outputs = random(len(self.tensors)), shape[axis]
        scales = [0.003 * 1.2**index for index in range(outputs)]
        weights = constant(
            f"w{len(self.tensors)}", generator.integers(-127, 128, shape), scales=scales, axis=axis
        )
        data = generator.integers(-20_000, 20_000, outputs).astype(bias)
        sums = tuple(scale * each for each in scales)
        made = TensorSpec(
            f"b{len(self.tensors)}", (outputs,), bias, sums, (0,) * outputs, data=data
        )
        return self.tensor(weights), self.tensor(made)

    def kept(self, name: str, shape: tuple[int, ...]) -> tuple[int, int]:
        """(handle, old values) of a variable."""
        handle, old = self.tensor(typed(name, (), "resource")), self.values(shape)
        self.operators.append(
            OperatorSpec("VAR_HANDLE", (), (handle,), {"Container": "", "SharedName": name})
        )
        self.add("READ_VARIABLE", (handle,), old)
        return handle, old

    def part(
        self, source: int, begin: tuple[int, ...], end: tuple[int, ...], shape: tuple[int, ...]
    ) -> int:
        """A slice without steps."""
        ends = [self.tensor(int32s(f"n{len(self.tensors)}", each)) for each in (begin, end)]
        steps = self.tensor(int32s(f"n{len(self.tensors)}", [1, 1, 1, 1]))
        result = self.values(shape, self.tensors[source].scales[0])
        self.add("STRIDED_SLICE", (source, *ends, steps), result)
        return result


def encoder(net: Network, source: int) -> int:
    """Frames after those of the last inference, a causal convolution, LEAKY_RELU, a gate."""
    handle, old = net.kept("history", (1, 2, 1, 4))
    joined = net.values((1, 6, 1, 4))
    net.add("CONCATENATION", (old, source), joined, Axis=1)
    net.add("ASSIGN_VARIABLE", (handle, net.part(joined, (0, 4, 0, 0), (1, 6, 1, 4), (1, 2, 1, 4))))
    wide_sums = net.values((1, 4, 1, 6), 2.0**-11)
    net.add(
        "CONV_2D",
        (joined, *net.weighted((6, 3, 1, 4), SCALE, axis=0)),
        wide_sums,
        **VALID,
        DilationHFactor=1,
        DilationWFactor=1,
    )
    leaky = net.values((1, 4, 1, 6), 2.0**-11)
    net.add("LEAKY_RELU", (wide_sums,), leaky, Alpha=0.3)
    axis = net.tensor(TensorSpec("axis", (), "int32", data=np.array(3, np.int32)))
    halves = net.values((1, 4, 1, 3), 2.0**-11), net.values((1, 4, 1, 3), 2.0**-11)
    net.add("SPLIT", (axis, leaky), *halves, NumSplits=2)
    curves = net.values((1, 4, 1, 3), 2.0**-15), net.values((1, 4, 1, 3), 2.0**-15)
    net.add("LOGISTIC", (halves[0],), curves[0])
    net.add("TANH", (halves[1],), curves[1])
    gated = net.values((1, 4, 1, 3), 2.0**-15)
    net.add("MUL", curves, gated, FusedActivationFunction=0)
    return gated


def decoder(net: Network, source: int) -> int:
    """Twice as many frames, whose ends overlap with those of the last inference."""
    shape = net.tensor(int32s("shape", [1, 10, 1, 2]))
    spread = net.values((1, 10, 1, 2))
    net.add(
        "TRANSPOSE_CONV",
        (shape, net.weighted((2, 4, 1, 3), 2.0**-15, axis=0)[0], source),
        spread,
        Padding=1,
        StrideH=2,
        StrideW=1,
        FusedActivationFunction=0,
    )
    handle, old = net.kept("overlap", (1, 2, 1, 2))
    net.add(
        "ASSIGN_VARIABLE", (handle, net.part(spread, (0, 8, 0, 0), (1, 10, 1, 2), (1, 2, 1, 2)))
    )
    begin, overlapping = (
        net.part(spread, (0, 0, 0, 0), (1, 2, 1, 2), (1, 2, 1, 2)),
        net.values((1, 2, 1, 2)),
    )
    net.add("ADD", (begin, old), overlapping, FusedActivationFunction=0)
    rest = net.part(spread, (0, 2, 0, 0), (1, 8, 1, 2), (1, 6, 1, 2))
    joined = net.values((1, 8, 1, 2))
    net.add("CONCATENATION", (overlapping, rest), joined, Axis=1)
    return smoothed(net, joined)


def smoothed(net: Network, source: int) -> int:
    """Each channel by itself, after two frames of zeros."""
    pads = net.tensor(
        TensorSpec(
            "pads", (4, 2), "int32", data=np.array([[0, 0], [2, 0], [0, 0], [0, 0]], np.int32)
        )
    )
    padded = net.values((1, 10, 1, 2))
    net.add("PAD", (source, pads), padded)
    smooth = net.values((1, 8, 1, 2))
    net.add(
        "DEPTHWISE_CONV_2D",
        (padded, *net.weighted((1, 3, 1, 2), SCALE, axis=3)),
        smooth,
        **VALID,
        DepthMultiplier=1,
        DilationHFactor=1,
        DilationWFactor=1,
    )
    return smooth


def network() -> ModelSpec:
    """int8 in, float32 out; the mean of the output is taken off it."""
    net = Network()
    source = net.tensor(TensorSpec("x", (1, 4, 1, 4), "int8", (2.0**-5,), (-3,)))
    first = net.values((1, 4, 1, 4))
    net.add("QUANTIZE", (source,), first)
    smooth = decoder(net, encoder(net, first))
    axes, mean = net.tensor(int32s("axes", [1, 2])), net.values((1, 1, 1, 2))
    net.add("MEAN", (smooth, axes), mean, KeepDims=True)
    centred, result = net.values((1, 8, 1, 2)), net.tensor(TensorSpec("y", (1, 8, 1, 2), "float32"))
    net.add("SUB", (smooth, mean), centred, FusedActivationFunction=0)
    net.add("DEQUANTIZE", (centred,), result)
    return ModelSpec(tuple(net.tensors), tuple(net.operators), (source,), (result,))


def cases() -> Mapping[str, Case]:
    """Frames in sequence, some of them at both ends of int8."""
    samples = random(8).integers(-128, 128, (FRAMES, 1, 4, 1, 4)).astype(np.int8)
    samples[2], samples[3] = 127, -128
    return {"int16_codec": Case(network(), (samples,), is_sequence=True)}


def test_oracle() -> None:
    """The answers are no constants, and depend on what came before."""
    (case,) = cases().values()
    expected = expected_bytes(case)
    answers = np.frombuffer(expected, np.float32).reshape(FRAMES, -1)
    assert len(np.unique(answers)) > answers.size / 2
    alone = Case(case.model, (case.samples[0][-1:],), is_sequence=True)
    assert expected_bytes(alone) != expected[-len(expected) // FRAMES :]
    graph = graph_of(case, name="model")
    assert oracle_bytes(case, graph) == np.round(answers / SCALE).astype(np.int16).tobytes()


@pytest.mark.parametrize("target_name", TARGETS)
def test_on_targets(target_name: str, tmp_path: Path) -> None:
    """The same bytes in C."""
    assert not wrong_in_c(cases(), target_name, folder=tmp_path)
