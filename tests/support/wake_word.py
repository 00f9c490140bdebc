"""Streaming wake-word models with random weights, as microWakeWord's converter writes them: windows
over time as variables, mixed convolutions, dense, a uint8 output.

By default the layers have the shapes of the public `okay_nabu` (version 2).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt
import tflite

from tests.support.tflm import AnyArray
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, TensorSpec
from tinyml_rules.ops._shared.cases.case import int32s, quantized

FEATURES, ROWS = 40, 3
"""Of a frame: features of a row, and rows."""
SCALE = 0.1
ROW = 1
"""The axis of time."""
_FROM_BEGIN, _TO_END = 13, 15
"""Masks of a STRIDED_SLICE that cuts along time alone: of begins, and of ends."""
_SPREAD = 250 / (74 * 74)
"""Times the root of their number, of products of random int8: sums become so many steps."""
_LOGIT = 1 / 32


@dataclass(frozen=True)
class Layers:
    """Channels, and for each block the lengths of its windows, which share its channels."""

    first: int = 32
    blocks: tuple[tuple[int, ...], ...] = ((5,), (7, 11), (9, 15), (23,))
    channels: int = 64
    last: int = 6
    """Rows that the dense layer sees."""
    value: int = -128
    """What CALL_ONCE assigns everywhere."""
    keeps_whole: bool = False
    """Variables hold all rows that are read, as in models of version 1; else those that the next
    frame reads."""


OKAY_NABU = Layers()
SMALL = Layers(first=8, blocks=((3,), (2, 5)), channels=8, last=2)


@dataclass
class Builder:
    """A model that grows from its input to its output."""

    layers: Layers
    generator: np.random.Generator
    tensors: list[TensorSpec] = field(default_factory=list)
    operators: list[OperatorSpec] = field(default_factory=list)
    windows: list[tuple[str, tuple[int, ...]]] = field(default_factory=list)
    """Name and shape of each variable."""

    def tensor(self, spec: TensorSpec) -> int:
        """Its number."""
        self.tensors.append(spec)
        return len(self.tensors) - 1

    def node(
        self, name: str, inputs: Sequence[int], *results: TensorSpec, **options: object
    ) -> int:
        """An operator; the number of its first result."""
        outputs = tuple(map(self.tensor, results))
        self.operators.append(OperatorSpec(name, tuple(inputs), outputs, options))  # type: ignore[arg-type]
        return outputs[0] if outputs else -1

    def like(self, source: int, shape: tuple[int, ...]) -> TensorSpec:
        """An activation with the quantization of another."""
        return replace(self.tensors[source], name=f"t{len(self.tensors)}", shape=shape)

    def cut(self, source: int, first: int) -> int:
        """The rows from `first` on."""
        batch, rows, *rest = self.tensors[source].shape
        ends = [self.tensor(int32s("end", each)) for each in ([0, first, 0, 0], [0] * 4, [1] * 4)]
        return self.node(
            "STRIDED_SLICE",
            (source, *ends),
            self.like(source, (batch, rows - first, *rest)),
            BeginMask=_FROM_BEGIN,
            EndMask=_TO_END,
        )

    def append(self, source: int, other: int, axis: int) -> int:
        """Both along an axis."""
        shape = list(self.tensors[source].shape)
        shape[axis] += self.tensors[other].shape[axis]
        return self.node(
            "CONCATENATION", (source, other), self.like(source, tuple(shape)), Axis=axis
        )

    def window(self, source: int, rows: int) -> int:
        """The last `rows` rows of all frames."""
        added = self.tensors[source].shape[ROW]
        kept = rows if self.layers.keeps_whole else rows - added
        shape = (1, kept, *self.tensors[source].shape[2:])
        name = f"stream_{len(self.windows)}/states"
        self.windows.append((name, shape))
        handle = self.tensor(TensorSpec("handle", (), "resource"))
        self.operators.insert(0, _named(handle, name))
        past = self.node("READ_VARIABLE", (handle,), self.like(source, shape))
        if self.layers.keeps_whole:
            joined = self.append(self.cut(past, added), source, ROW)
            self.node("ASSIGN_VARIABLE", (handle, joined))
        else:
            joined = self.append(past, source, ROW)
            self.node("ASSIGN_VARIABLE", (handle, self.cut(joined, added)))
        return joined

    def convolution(
        self, name: str, source: int, outputs: int, height: int, stride: int = 1
    ) -> int:
        """A convolution over time with a random kernel, whose results fill int8."""
        is_depthwise = name == "DEPTHWISE_CONV_2D"
        shape = self.tensors[source].shape
        weights = (1, height, 1, outputs) if is_depthwise else (outputs, height, 1, shape[3])
        products = height if is_depthwise else height * shape[3]
        relu = not is_depthwise
        result = (1, (shape[ROW] - height) // stride + 1, 1, outputs)
        return self.node(
            name,
            (source, *self.constants(weights, products, outputs, axis=3 if is_depthwise else 0)),
            quantized(f"t{len(self.tensors)}", result, scale=SCALE, zero_point=-128 if relu else 9),
            Padding=tflite.Padding.VALID,
            StrideH=stride,
            StrideW=1,
            FusedActivationFunction=int(relu),
            **({"DepthMultiplier": 1} if is_depthwise else {}),
        )

    def constants(
        self, shape: tuple[int, ...], products: int, outputs: int, *, axis: int
    ) -> tuple[int, int]:
        """Weights and bias, with a scale for each output."""
        scales = (self.generator.uniform(0.5, 1, outputs) * _SPREAD / products**0.5).astype(
            np.float32
        )
        data = self.weights(shape, axis=axis)
        base = self.generator.integers(-3000, 3000, outputs).astype(np.int32)
        of_bias = scales * np.float32(SCALE)
        zeros = (0,) * outputs
        weights = TensorSpec("weights", shape, "int8", _reals(scales), zeros, axis, data)
        return (
            self.tensor(weights),
            self.tensor(TensorSpec("bias", base.shape, "int32", _reals(of_bias), zeros, data=base)),
        )

    def weights(self, shape: tuple[int, ...], *, axis: int) -> AnyArray:
        """Of each output about as much above 0 as below, so that its sum moves with its inputs."""
        data = self.generator.integers(-100, 101, shape)
        others = tuple(each for each in range(len(shape)) if each != axis)
        values: AnyArray = np.clip(data - data.mean(axis=others, keepdims=True), -127, 127)
        return values.astype(np.int8)

    def mixed(self, source: int, lengths: Sequence[int]) -> int:
        """A part of the channels for each length; the shorter windows see the last rows."""
        if len(lengths) == 1:
            channels = self.tensors[source].shape[3]
            return self.convolution("DEPTHWISE_CONV_2D", source, channels, lengths[0])
        rows, channels = self.tensors[source].shape[ROW], self.tensors[source].shape[3]
        each = channels // len(lengths)
        sizes = self.tensor(int32s("sizes", [each] * len(lengths)))
        axis = self.tensor(TensorSpec("axis", (), "int32", data=np.array(3, np.int32)))
        parts = [self.like(source, (1, rows, 1, each)) for _ in lengths]
        first = self.node("SPLIT_V", (source, sizes, axis), *parts, NumSplits=len(lengths))
        made = [
            self.convolution(
                "DEPTHWISE_CONV_2D", self.cut(first + place, rows - length), each, length
            )
            for place, length in enumerate(lengths)
        ]
        shape = (1, 1, 1, channels)
        return self.node("CONCATENATION", made, self.like(made[0], shape), Axis=-1)


def _reals(values: npt.NDArray[np.float32]) -> tuple[float, ...]:
    return tuple(float(each) for each in values)


def _named(handle: int, name: str) -> OperatorSpec:
    return OperatorSpec("VAR_HANDLE", (), (handle,), {"Container": "", "SharedName": name})


def wake_word(layers: Layers = OKAY_NABU, *, seed: int = 1) -> ModelSpec:
    """The model of these layers."""
    made = Builder(layers, np.random.default_rng(seed))
    source = made.tensor(quantized("audio", (1, ROWS, FEATURES), scale=SCALE, zero_point=-128))
    image = made.node("RESHAPE", (source,), made.like(source, (1, ROWS, 1, FEATURES)))
    window = made.window(image, 5)
    value = made.convolution("CONV_2D", window, layers.first, 5, stride=ROWS)
    for lengths in layers.blocks:
        value = made.mixed(made.window(value, max(lengths)), lengths)
        value = made.convolution("CONV_2D", value, layers.channels, 1)
    window = made.window(value, layers.last)
    vector = (1, layers.last * layers.channels)
    flat = made.node("RESHAPE", (window,), made.like(window, vector))
    return replace(
        _with_head(made, flat),
        inputs=(source,),
        others=(_starting(made.windows, layers.value),),
    )


def _with_head(made: Builder, flat: int) -> ModelSpec:
    """Dense, sigmoid, and uint8 at the end; CALL_ONCE at the beginning."""
    count = made.tensors[flat].shape[1]
    scale = float(np.float32(_LOGIT / SCALE * _SPREAD / count**0.5))
    data = made.weights((1, count), axis=0)
    weights = made.tensor(TensorSpec("dense", data.shape, "int8", (scale,), (0,), data=data))
    of_bias = float(np.float32(scale) * np.float32(SCALE))
    base = TensorSpec("bias", (1,), "int32", (of_bias,), (0,), data=np.array([777], np.int32))
    logit = quantized("logit", (1, 1), scale=_LOGIT, zero_point=12)
    dense = made.node("FULLY_CONNECTED", (flat, weights, made.tensor(base)), logit)
    sigmoid = quantized("sigmoid", (1, 1), scale=1 / 256, zero_point=-128)
    result = TensorSpec("word", (1, 1), "uint8", (1 / 256,), (0,))
    last = made.node("QUANTIZE", (made.node("LOGISTIC", (dense,), sigmoid),), result)
    once = OperatorSpec("CALL_ONCE", (), (), {"InitSubgraphIndex": 1})
    return ModelSpec(tuple(made.tensors), (once, *made.operators), (), (last,))


def _starting(windows: Sequence[tuple[str, tuple[int, ...]]], value: int) -> ModelSpec:
    """Assigns the first values of all variables."""
    tensors: list[TensorSpec] = []
    operators: list[OperatorSpec] = []
    for name, shape in windows:
        data = np.full(shape, value, np.int8)
        first = TensorSpec("first", shape, "int8", (SCALE,), (-128,), data=data)
        place = len(tensors)
        tensors += (TensorSpec("handle", (), "resource"), first)
        operators += (
            _named(place, name),
            OperatorSpec("ASSIGN_VARIABLE", (place, place + 1), ()),
        )
    return ModelSpec(tuple(tensors), tuple(operators), (), ())


def frames(count: int, *, seed: int = 3) -> AnyArray:
    """Features that follow one another: noise of any level, and silence."""
    generator = np.random.default_rng(seed)
    values = generator.integers(-128, 128, (count, 1, ROWS, FEATURES))
    values[count // 3 : count // 3 + count // 6] = -128
    return values.astype(np.int8)
