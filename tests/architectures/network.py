"""A network while it is written down: float weights, and scales from what its tensors hold.

Every node is run through TFLM as soon as it is there, on random inputs of the model, as a converter
calibrates: scale and zero point of its output are those of the values found.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from tests.support.families.growing import Growing, Shape
from tests.support.tflm import AnyArray, tflm_outputs
from tinyml_rules.arithmetic.fixed_point import Activation
from tinyml_rules.model_file.writer import ModelSpec, TensorSpec, build_model
from tinyml_rules.ops._shared.cases.case import Case
from tinyml_rules.ops._shared.spatial import Padding, Sliding

SAMPLES = 4
RELU6 = (6 / 255, -128)
"""The quantization that converters give to what lies between 0 and 6."""
SIGMOID = (1 / 256, -128)
TANH = (1 / 128, 0)
STEPS = 230
"""Of the 256 that there are, for the range that was found."""

Quantization = tuple[float, int]


@dataclass(frozen=True, kw_only=True)
class Kernel:
    """A window: its size, how it moves, and what becomes of its sums."""

    size: tuple[int, int] = (1, 1)
    stride: int = 1
    padding: Padding = Padding.SAME
    activation: Activation = Activation.RELU6
    result: Quantization | None = None

    @property
    def quantization(self) -> Quantization | None:
        """Of the output: that which was asked for, or the one of RELU6."""
        return RELU6 if self.activation is Activation.RELU6 else self.result

    def output(self, image: Shape) -> tuple[int, int]:
        """Height and width of what it makes of an image."""
        pairs = zip(self.size, image[1:3], strict=True)
        height, width = (
            Sliding(size, self.stride).output_size(cells, self.padding) for size, cells in pairs
        )
        return height, width

    @property
    def options(self) -> dict[str, Any]:
        """As the file has them."""
        return {
            "Padding": self.padding,
            "StrideH": self.stride,
            "StrideW": self.stride,
            "FusedActivationFunction": self.activation,
        }


LINEAR = Kernel(activation=Activation.NONE)


class Network:
    """Tensors by number, each with the values that it has for the samples."""

    def __init__(self, *shape: int, seed: int = 1) -> None:
        self.random = np.random.default_rng(seed)
        self.graph = Growing(self.random)
        self.samples: dict[int, AnyArray] = {}
        self.source = self.graph.input(self.graph.quantized(shape, 1 / 64, 0))
        # each sample has a colour of its own, which means over its cells leave
        colours = self.random.normal(0, 40, (SAMPLES, *(1 for _ in shape[1:]), shape[-1]))
        values = colours + self.random.normal(0, 20, (SAMPLES, *shape))
        self.samples[self.source] = np.clip(np.rint(values), -128, 127).astype(np.int8)

    def shape(self, index: int) -> Shape:
        """The shape of a tensor."""
        return self.graph.shape(index)

    def apply(
        self,
        name: str,
        operands: Sequence[int],
        shape: Shape,
        *,
        like: int | None = None,
        result: Quantization | None = None,
        **options: Any,
    ) -> int:
        """A node with one output: quantized like another tensor, as told, or as calibrated."""
        spec = self.graph.quantized(shape, *(result or (1 / 16, 0)))
        if like is not None:
            spec = self.graph.activation(shape, like=like)
        index = self.graph.node(name, operands, spec, **options)
        self._run()
        if like is None and result is None:
            self._calibrate(index)
        return index

    def parts(
        self, name: str, operands: Sequence[int], shape: Shape, count: int, **options: Any
    ) -> list[int]:
        """A node with so many outputs of one shape, quantized like the tensor that it divides."""
        like = next(index for index in operands if index in self.samples)
        spec = self.graph.activation(shape, like=like)
        first = self.graph.node(name, operands, *[spec] * count, **options)
        self._run()
        return list(range(first, first + count))

    def _run(self) -> None:
        """What the last node makes of the samples."""
        operator = self.graph.operators[-1]
        used = sorted({*operator.inputs, *operator.outputs} - {-1})
        place = {index: number for number, index in enumerate(used)}
        sources = [
            index for index in used if index in self.samples and index not in operator.outputs
        ]
        model = ModelSpec(
            tuple(self.graph.tensors[index] for index in used),
            (
                replace(
                    operator,
                    inputs=tuple(place[index] for index in operator.inputs),
                    outputs=tuple(place[index] for index in operator.outputs),
                ),
            ),
            tuple(place[index] for index in sources),
            tuple(place[index] for index in operator.outputs),
        )
        found = tflm_outputs(build_model(model), [self.samples[index] for index in sources])
        self.samples.update(zip(operator.outputs, found, strict=True))

    def _calibrate(self, index: int) -> None:
        """The scale for which the values found fill the range of int8."""
        for _ in range(8):
            tensor, values = self.graph.tensors[index], self.samples[index].astype(int)
            (scale,), (point,) = tensor.scales, tensor.zero_points
            low, high = min(0, values.min() - point), max(0, values.max() - point)
            is_cut = values.min() == -128 or values.max() == 127
            if not is_cut and high - low >= 200:
                return
            factor = 4.0 if is_cut else max((high - low) / STEPS, 1 / 32)
            middle = point if is_cut else round(-115 - low / factor)
            self.graph.tensors[index] = replace(
                tensor, scales=(scale * factor,), zero_points=(int(np.clip(middle, -128, 127)),)
            )
            self._run()
            if not is_cut and factor > 1 / 32:
                return
        raise AssertionError(f"tensor {index} has no values that a scale could be made for")

    def _weights(self, shape: Shape, *, axis: int, terms: int) -> tuple[int, npt.NDArray[Any]]:
        """Normal weights, quantized per axis, and their scales."""
        reals = self.random.normal(0, math.sqrt(2 / terms), shape)
        others = tuple(each for each in range(len(shape)) if each != axis)
        scales = np.abs(reals).max(axis=others) / 127
        along = scales.reshape([-1 if each == axis else 1 for each in range(len(shape))])
        spec = TensorSpec(
            "",
            shape,
            scales=tuple(scales.tolist()),
            zero_points=(0,) * len(scales),
            axis=axis,
            data=np.rint(reals / along).astype(np.int8),
        )
        return self.graph.tensor(spec), scales

    def _bias(self, source: int, scales: npt.NDArray[Any]) -> int:
        of_sums = scales * self.graph.tensors[source].scales[0]
        reals = self.random.normal(0, 0.2, len(scales))
        data = np.rint(reals / of_sums).astype(np.int32)
        zeros = (0,) * len(scales)
        return self.graph.tensor(
            TensorSpec("", data.shape, "int32", tuple(of_sums.tolist()), zeros, data=data)
        )

    def conv(self, source: int, outputs: int, kernel: Kernel = Kernel()) -> int:
        """CONV_2D."""
        image = self.shape(source)
        shape = (outputs, *kernel.size, image[3])
        matrix, scales = self._weights(shape, axis=0, terms=math.prod(shape[1:]))
        operands = [source, matrix, self._bias(source, scales)]
        result = (image[0], *kernel.output(image), outputs)
        return self.apply("CONV_2D", operands, result, result=kernel.quantization, **kernel.options)

    def depthwise(self, source: int, kernel: Kernel) -> int:
        """DEPTHWISE_CONV_2D."""
        image = self.shape(source)
        shape = (1, *kernel.size, image[3])
        matrix, scales = self._weights(shape, axis=3, terms=math.prod(kernel.size))
        operands = [source, matrix, self._bias(source, scales)]
        result = (image[0], *kernel.output(image), image[3])
        options = {**kernel.options, "DepthMultiplier": 1}
        return self.apply(
            "DEPTHWISE_CONV_2D", operands, result, result=kernel.quantization, **options
        )

    def upsampled(self, source: int, outputs: int) -> int:
        """TRANSPOSE_CONV of 2x2 by a stride of 2, quantized as what it is joined with."""
        batches, height, width, channels = self.shape(source)
        matrix, scales = self._weights((outputs, 2, 2, channels), axis=0, terms=channels)
        shape = (batches, 2 * height, 2 * width, outputs)
        operands = [self.graph.numbers(shape), matrix, source, self._bias(source, scales)]
        how: dict[str, Any] = {"Padding": Padding.SAME, "StrideH": 2, "StrideW": 2}
        return self.apply("TRANSPOSE_CONV", operands, shape, result=RELU6, **how)

    def dense(self, source: int, outputs: int, *, activation: Activation = Activation.NONE) -> int:
        """FULLY_CONNECTED on the last axis."""
        *outer, inputs = self.shape(source)
        matrix, scales = self._weights((outputs, inputs), axis=0, terms=inputs)
        operands = [source, matrix, self._bias(source, scales)]
        how: dict[str, Any] = {
            "FusedActivationFunction": activation,
            "KeepNumDims": len(outer) > 1,
        }
        return self.apply("FULLY_CONNECTED", operands, (*outer, outputs), **how)

    def pair(self, name: str, first: int, second: int) -> int:
        """An operator of two tensors that broadcast."""
        shape = np.broadcast_shapes(self.shape(first), self.shape(second))
        return self.apply(name, [first, second], shape)

    def number(self, value: float) -> int:
        """A constant of one value."""
        spec = TensorSpec("", (), scales=(abs(value) / 100,), zero_points=(0,))
        return self.graph.tensor(replace(spec, data=np.array(math.copysign(100, value), np.int8)))

    def shares(self, source: int) -> int:
        """SOFTMAX."""
        shape = self.shape(source)
        return self.apply("SOFTMAX", [source], shape, result=SIGMOID, Beta=1.0)

    def map(self, name: str, source: int, result: Quantization | None = None) -> int:
        """An operator of each value by itself."""
        return self.apply(name, [source], self.shape(source), result=result)

    def view(self, source: int, shape: Shape) -> int:
        """RESHAPE."""
        return self.apply("RESHAPE", [source], shape, like=source)

    def turned(self, source: int, order: Sequence[int]) -> int:
        """TRANSPOSE."""
        shape = tuple(self.shape(source)[axis] for axis in order)
        return self.apply("TRANSPOSE", [source, self.graph.numbers(order)], shape, like=source)

    def joined(self, *sources: int, axis: int = -1) -> int:
        """CONCATENATION of tensors of one quantization."""
        shape = list(self.shape(sources[0]))
        shape[axis] = sum(self.shape(each)[axis] for each in sources)
        return self.apply("CONCATENATION", sources, tuple(shape), like=sources[0], Axis=axis)

    def halves(self, source: int, count: int = 2) -> list[int]:
        """SPLIT of the last axis."""
        *outer, channels = self.shape(source)
        operands = [self.graph.numbers(len(outer)), source]
        return self.parts("SPLIT", operands, (*outer, channels // count), count, NumSplits=count)

    def mean(self, source: int, *axes: int, keeps: bool = True) -> int:
        """MEAN over axes."""
        kept = [1 if axis in axes else size for axis, size in enumerate(self.shape(source))]
        if not keeps:
            kept = [size for axis, size in enumerate(self.shape(source)) if axis not in axes]
        return self.apply("MEAN", [source, self.graph.numbers(axes)], tuple(kept), KeepDims=keeps)

    def pooled(self, source: int, *, size: int, stride: int) -> int:
        """MAX_POOL_2D with SAME padding."""
        kernel = Kernel(size=(size, size), stride=stride, activation=Activation.NONE)
        image = self.shape(source)
        shape = (image[0], *kernel.output(image), image[3])
        options = {**kernel.options, "FilterHeight": size, "FilterWidth": size}
        return self.apply("MAX_POOL_2D", [source], shape, like=source, **options)

    def case(self, *outputs: int) -> Case:
        """The model, with the samples and with the ends of int8."""
        samples = self.samples[self.source]
        ends = [np.full_like(samples[:1], end) for end in (-128, 127)]
        model = replace(self.graph.model(), outputs=outputs)
        return Case(model, (np.concatenate([samples, *ends]),))
