"""A network as a list of layers: what is trained and what is written into a file are made of it.

A value is computed from others, or is an input, a parameter or a number.  Every value has the shape
that it has in the file, with a batch of one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Shape = tuple[int, ...]
EPSILON = 1e-3
"""Added to a variance before its root is taken."""


@dataclass(frozen=True)
class Start:
    """First values of a parameter: normal ones of this deviation around `mean`; `is_trained` is
    false of the moments of a normalization, which are measured."""

    deviation: float = 0.0
    mean: float = 0.0
    is_trained: bool = True


@dataclass(frozen=True)
class Value:
    """`op` computes it from other values, by their places; an input has the op `input`, a parameter
    a `start`, a number its `number`."""

    place: int
    name: str
    op: str
    shape: Shape
    sources: tuple[int, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    start: Start | None = None
    number: float | None = None


@dataclass(frozen=True)
class Network:
    """`values` in the order in which they are computed."""

    values: tuple[Value, ...]
    outputs: tuple[int, ...]

    @property
    def inputs(self) -> tuple[Value, ...]:
        return tuple(each for each in self.values if each.op == "input")

    @property
    def parameters(self) -> tuple[Value, ...]:
        return tuple(each for each in self.values if each.start is not None)


class Layers:
    """Collects the values of a network.  A layer with the name of another has its parameters."""

    def __init__(self) -> None:
        self.values: list[Value] = []
        self._parameters: dict[str, Value] = {}

    def network(self, outputs: Sequence[Value]) -> Network:
        """The whole, with outputs in the order in which they are computed."""
        return Network(tuple(self.values), tuple(each.place for each in outputs))

    def value(
        self, op: str, shape: Shape, *sources: Value, name: str = "", **options: Any
    ) -> Value:
        """What an operator computes."""
        places = tuple(each.place for each in sources)
        return self._add(op, shape, name, sources=places, options=options)

    def input(self, shape: Shape) -> Value:
        return self._add("input", shape, "")

    def parameter(self, name: str, shape: Shape, start: Start) -> Value:
        """The one of this name."""
        if name not in self._parameters:
            self._parameters[name] = self._add("parameter", shape, name, start=start)
        return self._parameters[name]

    def number(self, number: float) -> Value:
        return self._add("number", (1,), "", number=number)

    def conv(
        self,
        x: Value,
        channels: int,
        kernel: tuple[int, int] = (3, 3),
        *,
        stride: tuple[int, int] = (1, 1),
        dilation: tuple[int, int] = (1, 1),
        name: str = "",
    ) -> Value:
        """A convolution of a picture [1, rows, columns, channels] that is padded."""
        name = name or f"conv{len(self.values)}"
        shape = (channels, *kernel, x.shape[3])
        operands = self._weights(name, shape, channels, math.prod(shape[1:]))
        made = (*_strided(x.shape, stride), channels)
        return self.value("conv", made, x, *operands, stride=stride, dilation=dilation)

    def depthwise(
        self, x: Value, kernel: tuple[int, int], stride: tuple[int, int] = (1, 1)
    ) -> Value:
        """Each channel of a padded picture with weights of its own."""
        channels, name = x.shape[3], f"depthwise{len(self.values)}"
        operands = self._weights(name, (1, *kernel, channels), channels, math.prod(kernel))
        return self.value(
            "depthwise", (*_strided(x.shape, stride), channels), x, *operands, stride=stride
        )

    def doubled(self, x: Value, channels: int) -> Value:
        """A picture of twice the rows and columns, 2x2 pixels of each."""
        _, rows, columns, count = x.shape
        operands = self._weights(
            f"doubled{len(self.values)}", (channels, 2, 2, count), channels, count
        )
        return self.value("doubled", (1, 2 * rows, 2 * columns, channels), x, *operands)

    def dense(self, x: Value, units: int, name: str = "") -> Value:
        """All values of the last axis with weights for each of the units."""
        name, count = name or f"dense{len(self.values)}", x.shape[-1]
        operands = self._weights(name, (units, count), units, count)
        return self.value("dense", (*x.shape[:-1], units), x, *operands)

    def batch_norm(self, x: Value) -> Value:
        """Each channel minus its mean, over its deviation, times a factor, plus a term."""
        name, shape = f"norm{len(self.values)}", x.shape[-1:]
        starts = {
            "factor": Start(0.2, 1.0),
            "term": Start(0.1),
            "mean": Start(is_trained=False),
            "variance": Start(mean=1.0, is_trained=False),
        }
        operands = [self.parameter(f"{name}/{each}", shape, s) for each, s in starts.items()]
        return self.value("batch_norm", x.shape, x, *operands)

    def layer_norm(self, x: Value) -> Value:
        """Each row minus its mean, over its deviation, times factors, plus terms, in the operators
        that Keras's converter makes of it."""
        name, axes = f"norm{len(self.values)}", (len(x.shape) - 1,)
        shape = x.shape[-1:]
        factor = self.parameter(f"{name}/factor", shape, Start(0.1, 1.0))
        term = self.parameter(f"{name}/term", shape, Start(0.1))
        mean = self.mean(x, axes, keep=True)
        squares = self.value("squared_difference", x.shape, x, mean)
        variance = self.mean(squares, axes, keep=True)
        root = self.map("rsqrt", self.pair("add", variance, self.number(EPSILON)))
        factors = self.pair("mul", root, factor)
        rest = self.pair("sub", term, self.pair("mul", mean, factors))
        return self.pair("add", self.pair("mul", x, factors), rest)

    def map(self, op: str, x: Value) -> Value:
        """relu, relu6, hard_swish, logistic, tanh, gelu, rsqrt of each value; softmax of a row."""
        return self.value(op, x.shape, x)

    def pair(self, op: str, x: Value, y: Value) -> Value:
        """add, sub, mul of two, one of which may have fewer values."""
        rank = max(len(x.shape), len(y.shape))
        shapes = ((1,) * (rank - len(each.shape)) + each.shape for each in (x, y))
        return self.value(op, tuple(map(max, *shapes)), x, y)

    def mean(self, x: Value, axes: Shape, *, keep: bool = False) -> Value:
        """Over these axes, of 1 then or gone."""
        sizes = [1 if axis in axes else size for axis, size in enumerate(x.shape)]
        shape = [size for axis, size in enumerate(sizes) if keep or axis not in axes]
        return self.value("mean", tuple(shape), x, axes=axes, keep=keep)

    def pool(self, op: str, x: Value) -> Value:
        """average_pool, max_pool: of 2x2 pixels; nearest: 2x2 of each pixel."""
        _, rows, columns, channels = x.shape
        twice, half = (2 * rows, 2 * columns), (rows // 2, columns // 2)
        return self.value(op, (1, *(twice if op == "nearest" else half), channels), x)

    def join(self, *parts: Value) -> Value:
        """Side by side along the last axis."""
        last = sum(each.shape[-1] for each in parts)
        return self.value("join", (*parts[0].shape[:-1], last), *parts)

    def reshape(self, x: Value, *shape: int) -> Value:
        return self.value("reshape", shape, x)

    def transpose(self, x: Value, *order: int) -> Value:
        return self.value("transpose", tuple(x.shape[axis] for axis in order), x, order=order)

    def matmul(self, x: Value, y: Value, *, is_transposed: bool = False) -> Value:
        """Matrices of the last two axes; of `y` the transposed ones."""
        last = y.shape[-2 if is_transposed else -1]
        return self.value("matmul", (*x.shape[:-1], last), x, y, is_transposed=is_transposed)

    def part(self, x: Value, axis: int, begin: int, size: int) -> Value:
        """So many from there along an axis."""
        shape = (*x.shape[:axis], size, *x.shape[axis + 1 :])
        return self.value("part", shape, x, axis=axis, begin=begin)

    def _weights(self, name: str, shape: Shape, outputs: int, fan: int) -> tuple[Value, Value]:
        """Weights and biases, for the variance of what they are multiplied with."""
        weights = self.parameter(f"{name}/weights", shape, Start(math.sqrt(2 / fan)))
        return weights, self.parameter(f"{name}/bias", (outputs,), Start(0.05))

    def _add(self, op: str, shape: Shape, name: str, **members: Any) -> Value:
        place = len(self.values)
        found = Value(place, name or f"{op}{place}", op, tuple(shape), **members)
        self.values.append(found)
        return found


def _strided(shape: Shape, stride: tuple[int, int]) -> Shape:
    """Batch, rows and columns of a padded convolution."""
    return (shape[0], *(-(-size // step) for size, step in zip(shape[1:3], stride, strict=True)))
