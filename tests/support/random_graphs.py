"""Random models with branches, views and several outputs, out of operators of every form."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, TensorSpec
from tinyml_rules.ops._shared.cases.case import quantized
from tinyml_rules.ops._shared.cases.pooling import pool
from tinyml_rules.ops._shared.spatial import Padding
from tinyml_rules.ops.add.cases import add
from tinyml_rules.ops.conv_2d.cases import conv
from tinyml_rules.ops.depthwise_conv_2d.cases import depthwise
from tinyml_rules.ops.relu.cases import relu
from tinyml_rules.ops.reshape.cases import reshape

Image = tuple[int, int, int, int]
MAX_SIZE = 6
SCALES = (0.125, 0.25, 0.3)
KEEPING = ("MAX_POOL_2D", "RESHAPE")
"""Operators whose output has the quantization of their input; any other has one of its own."""


def random_graph(seed: int, *, node_count: int) -> ModelSpec:
    """The model with this number: each node reads one or two of all images that there are."""
    generator = np.random.default_rng(seed)
    builder = _Builder(generator)
    for _ in range(int(generator.integers(1, 3))):
        builder.add_input()
    for _ in range(node_count):
        builder.add_node()
    return builder.model()


class _Builder:
    def __init__(self, generator: np.random.Generator) -> None:
        self._generator = generator
        self._tensors: list[TensorSpec] = []
        self._operators: list[OperatorSpec] = []
        self._images: list[int] = []
        self._inputs: list[int] = []

    def _integer(self, low: int, high: int) -> int:
        return int(self._generator.integers(low, high + 1))

    def add_input(self) -> None:
        shape = (1, *(self._integer(1, MAX_SIZE) for _ in range(3)))
        self._inputs.append(self._add_image(quantized("", shape)))

    def _add_image(self, tensor: TensorSpec, *, like: TensorSpec | None = None) -> int:
        """An activation, quantized like another or in a way of its own."""
        if like is None:
            scale, zero_point = float(self._generator.choice(SCALES)), self._integer(-30, 30)
            like = replace(tensor, scales=(scale,), zero_points=(zero_point,))
        self._images.append(len(self._tensors))
        made = replace(tensor, scales=like.scales, zero_points=like.zero_points)
        return self._add_tensor(made)

    def _add_tensor(self, tensor: TensorSpec) -> int:
        index = len(self._tensors)
        self._tensors.append(replace(tensor, name=f"t{index}"))
        return index

    def add_node(self) -> None:
        """One node on a random image, mostly a late one."""
        late = self._images[-3:] if self._generator.random() < 0.7 else self._images
        source = int(self._generator.choice(late))
        height, width, channels = self._tensors[source].shape[1:]
        image: Image = (1, height, width, channels)
        self._append(self._node_on(image), source)

    def _node_on(self, image: Image) -> ModelSpec:
        """A model of one node, for its operator, its constants and the shape of its output."""
        window = (self._integer(1, 3), self._integer(1, 3))
        fitting = (min(window[0], image[1]), min(window[1], image[2]))
        strides = (self._integer(1, 2), self._integer(1, 2))
        outputs = self._integer(1, MAX_SIZE)
        multiplier = self._integer(1, 2) if image[3] <= MAX_SIZE else 1
        nodes = (
            conv(image, (1, 1), outputs=outputs),
            conv(image, window, outputs=outputs, strides=strides),
            depthwise(image, window, depth_multiplier=multiplier, strides=strides),
            pool("MAX_POOL_2D", image, fitting, strides=strides, padding=Padding.VALID),
            reshape(image, (1, image[2], image[1], image[3])),
            add(image, (image[3],), constants=(False, True)),
            add(image, image),
            relu(image),
        )
        return nodes[self._integer(0, len(nodes) - 1)]

    def _append(self, node: ModelSpec, source: int) -> None:
        """Put the node behind `source`; a second computed operand is any image of that shape."""
        (operator,) = node.operators
        numbers: dict[int, int] = {}
        for index in operator.inputs:
            tensor = node.tensors[index]
            if tensor.dtype == "int32":
                numbers[index] = self._add_tensor(self._rescaled(tensor, node, source))
            elif tensor.data is not None:
                numbers[index] = self._add_tensor(tensor)
            elif numbers:
                shape = self._tensors[source].shape
                same = [each for each in self._images if self._tensors[each].shape == shape]
                numbers[index] = int(self._generator.choice(same))
            else:
                numbers[index] = source
        inputs = tuple(numbers[index] for index in operator.inputs)
        like = self._tensors[source] if operator.name in KEEPING else None
        result = self._add_image(node.tensors[operator.outputs[0]], like=like)
        self._operators.append(replace(operator, inputs=inputs, outputs=(result,)))

    def _rescaled(self, bias: TensorSpec, node: ModelSpec, source: int) -> TensorSpec:
        """The bias in the scale of the sums over `source`."""
        weights = node.tensors[node.operators[0].inputs[1]]
        (of_input,) = self._tensors[source].scales
        return replace(bias, scales=tuple(of_input * scale for scale in weights.scales))

    def model(self) -> ModelSpec:
        """Outputs are the last result, what nobody reads, and now and then another one."""
        read = {index for operator in self._operators for index in operator.inputs}
        results = [operator.outputs[0] for operator in self._operators]
        outputs = [
            index for index in results if index not in read or self._generator.random() < 0.1
        ]
        return ModelSpec(
            tuple(self._tensors), tuple(self._operators), tuple(self._inputs), tuple(outputs)
        )
