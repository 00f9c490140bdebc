"""Small models that join and cut tensors, alone and between operators that compute."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tests.plan.chains import Chain
from tinyml_rules.model_file.writer import (
    OPTIONAL,
    ModelSpec,
    OperatorSpec,
    OptionValue,
    TensorSpec,
    build_model,
)
from tinyml_rules.ops._shared.cases.case import filled, int32s
from tinyml_rules.ops._shared.spatial import Padding

Shape = tuple[int, ...]


class Maker:
    """A model that grows; tensors are named by their numbers."""

    def __init__(self) -> None:
        self._chain = Chain(lambda low, high: (low + high) // 2)
        self._inputs: list[int] = []

    def shape(self, tensor: int) -> Shape:
        return self._chain.tensors[tensor].shape

    def input(self, *shape: int) -> int:
        self._inputs.append(self._chain.activation(shape))
        return self._inputs[-1]

    def constant(self, *shape: int) -> int:
        tensor = self._chain.activation(shape)
        self._chain.tensors[tensor] = filled(self._chain.tensors[tensor])
        return tensor

    def node(
        self, name: str, inputs: Sequence[int], *shapes: Shape, **options: OptionValue
    ) -> tuple[int, ...]:
        results = tuple(self._chain.activation(shape) for shape in shapes)
        self._chain.operators.append(OperatorSpec(name, tuple(inputs), results, options))
        return results

    def concat(self, *sources: int, axis: int = 1) -> int:
        shape = [*self.shape(sources[0])]
        shape[axis] = sum(self.shape(source)[axis] for source in sources)
        return self.node("CONCATENATION", sources, tuple(shape), Axis=axis)[0]

    def split(self, source: int, parts: int, axis: int = 1) -> tuple[int, ...]:
        shape = [*self.shape(source)]
        shape[axis] //= parts
        inputs = (self._numbers(axis), source)
        return self.node("SPLIT", inputs, *[tuple(shape)] * parts, NumSplits=parts)

    def _numbers(self, values: int | Sequence[int]) -> int:
        self._chain.tensors.append(int32s(f"n{len(self._chain.tensors)}", values))
        return len(self._chain.tensors) - 1

    def reshape(self, source: int, *shape: int) -> int:
        return self.node("RESHAPE", (source,), shape)[0]

    def transpose(self, source: int, *order: int) -> int:
        shape = tuple(self.shape(source)[axis] for axis in order)
        return self.node("TRANSPOSE", (source, self._numbers(order)), shape)[0]

    def slice(self, source: int, begin: Sequence[int], size: Sequence[int]) -> int:
        inputs = (source, self._numbers(begin), self._numbers(size))
        return self.node("SLICE", inputs, tuple(size))[0]

    def split_v(self, source: int, sizes: Sequence[int], axis: int = 1) -> tuple[int, ...]:
        shape = self.shape(source)
        inputs = (source, self._numbers(sizes), self._numbers(axis))
        shapes = [(*shape[:axis], size, *shape[axis + 1 :]) for size in sizes]
        return self.node("SPLIT_V", inputs, *shapes, NumSplits=len(sizes))

    def gather(self, source: int, rows: Sequence[int]) -> int:
        shape = (len(rows), *self.shape(source)[1:])
        return self.node("GATHER", (source, self._numbers(rows)), shape)[0]

    def relu(self, source: int) -> int:
        return self.node("RELU", (source,), self.shape(source))[0]

    def add(self, first: int, second: int) -> int:
        return self.node("ADD", (first, second), self.shape(first))[0]

    def conv(self, source: int, outputs: int, window: int = 3) -> int:
        shape = self.shape(source)
        weights = self._chain.weights((outputs, window, window, shape[3]), window**2 * shape[3])
        inputs = (source, weights, OPTIONAL)
        options = {"Padding": Padding.SAME, "StrideW": 1, "StrideH": 1}
        return self.node("CONV_2D", inputs, (*shape[:3], outputs), **options)[0]

    def model(self, *outputs: int) -> ModelSpec:
        chain = self._chain
        return ModelSpec(tuple(chain.tensors), tuple(chain.operators), tuple(self._inputs), outputs)


def file_of(model: ModelSpec) -> bytes:
    """The .tflite file."""
    return build_model(model)


def inception() -> ModelSpec:
    """Three branches over one image, joined along the channels."""
    maker = Maker()
    image = maker.conv(maker.input(1, 6, 5, 3), 4)
    branches = (maker.conv(image, 2, 1), maker.conv(maker.conv(image, 3, 1), 4), image)
    return maker.model(maker.conv(maker.concat(*branches, axis=3), 3, 1))


def dense_block() -> ModelSpec:
    """Rows that join all rows before them: every tensor lies in the last one."""
    maker = Maker()
    rows = maker.conv(maker.input(1, 3, 4, 2), 2)
    for _ in range(3):
        rows = maker.concat(rows, maker.conv(rows, 2))
    return maker.model(rows)


def half_activated() -> ModelSpec:
    """RELU on one half; then the halves change their places."""
    maker = Maker()
    first, second = maker.split(maker.conv(maker.input(1, 4, 4, 2), 3), 2)
    return maker.model(maker.concat(maker.relu(second), first))


def twice_in_one() -> ModelSpec:
    """A tensor and its copy end up in one that both are joined to."""
    maker = Maker()
    source = maker.relu(maker.input(1, 2, 3))
    joined = maker.concat(source, maker.input(1, 1, 3))
    return maker.model(maker.concat(source, joined, source), joined)


def shuffled_channels() -> ModelSpec:
    """Halves of the channels, one through a convolution, then joined the other way round."""
    maker = Maker()
    left, right = maker.split(maker.input(1, 4, 3, 6), 2, axis=3)
    joined = maker.concat(maker.conv(right, 3), left, axis=3)
    return maker.model(maker.add(joined, joined))


def ends_of_the_model() -> ModelSpec:
    """Inputs lie in an output, outputs in an input, and an input is an output."""
    maker = Maker()
    first, second, third = maker.input(1, 2, 3), maker.input(1, 4, 3), maker.input(1, 4, 3)
    joined = maker.concat(first, maker.reshape(second, 1, 4, 3))
    parts = maker.split(third, 2)
    return maker.model(joined, *parts, third, maker.relu(parts[1]), maker.add(first, parts[0]))


def with_constant() -> ModelSpec:
    """A constant between two tensors, and one behind itself."""
    maker = Maker()
    source = maker.relu(maker.input(1, 2, 4))
    constant = maker.constant(1, 1, 4)
    joined = maker.concat(source, constant, maker.relu(source), constant)
    return maker.model(maker.relu(joined))


def with_variable() -> ModelSpec:
    """A variable joined to an input."""
    chain = Chain(lambda low, _high: low)
    for shape in ((1, 2, 3), (1, 1, 3), (1, 3, 3)):
        chain.activation(shape)
    first, *others = chain.tensors
    variable = TensorSpec(
        first.name, first.shape, scales=first.scales, zero_points=(-5,), is_variable=True
    )
    operator = OperatorSpec("CONCATENATION", (0, 1), (2,), {"Axis": 1})
    return ModelSpec((variable, *others), (operator,), (1,), (2,))


def random_moves(seed: int) -> ModelSpec:
    """A dozen nodes that join, cut, reshape and compute, on any tensors that there are."""
    generator = np.random.default_rng(seed)
    maker = Maker()
    images = [maker.input(1, 4, 2, 2), maker.input(1, 4, 2, 2)]
    for _ in range(int(generator.integers(4, 12))):
        late = images[-4:] if generator.random() < 0.7 else images
        source = int(generator.choice(late))
        shape = maker.shape(source)
        axis = int(generator.choice([1, 1, 1, 2, 3]))
        kind = int(generator.integers(0, 6))
        if kind <= 1:
            fitting = [each for each in images if _differ_only(maker.shape(each), shape, axis)]
            count = int(generator.integers(1, 4))
            others = [int(generator.choice(fitting)) for _ in range(count)]
            if sum(maker.shape(each)[axis] for each in others) < 16:
                images.append(maker.concat(source, *others, axis=axis))
        elif kind == 2 and shape[axis] % 2 == 0:
            images += maker.split(source, 2, axis)
        elif kind == 3:
            images.append(maker.reshape(source, 1, shape[2], shape[1], shape[3]))
        elif kind == 4:
            images.append(maker.conv(source, int(generator.integers(1, 4))))
        else:
            images.append(maker.relu(source))
    outputs = {images[-1], *(int(each) for each in generator.choice(images, 2))}
    return maker.model(*sorted(outputs))


def _differ_only(shape: Shape, other: Shape, axis: int) -> bool:
    """Whether two shapes are the same but for one dimension."""
    return (*shape[:axis], *shape[axis + 1 :]) == (*other[:axis], *other[axis + 1 :])
