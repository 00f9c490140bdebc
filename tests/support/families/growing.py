"""A random graph while it grows: its tensors, its nodes, and where its random numbers come from."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, OptionValue, TensorSpec
from tinyml_rules.ops import builtin_operators
from tinyml_rules.ops._shared.cases.case import int32s, typed

Shape = tuple[int, ...]
Builder = Callable[["Growing", str, int], bool]
"""Puts a node of the named operator, and what it needs around it, behind a quantized tensor; False
where the operator does not take one of that shape."""
Choice = TypeVar("Choice")

SCALES = {"int8": (0.125, 0.25, 0.3), "int16": (2.0**-11, 2.0**-10, 0.0012)}
LARGEST = 400
"""Values of a tensor."""
KNOWN = frozenset(op.name.upper() for op in builtin_operators().in_files)


class Growing:
    """Nodes are appended; `values` are the tensors of the graph's type, int8 or int16, that further
    nodes may read; a scalar is none of them."""

    def __init__(self, generator: np.random.Generator, dtype: str = "int8") -> None:
        self.generator = generator
        self.dtype = dtype
        self.tensors: list[TensorSpec] = []
        self.operators: list[OperatorSpec] = []
        self.inputs: list[int] = []
        self.values: list[int] = []

    def pick(self, low: int, high: int) -> int:
        """A number from the first to the second, both included."""
        return int(self.generator.integers(low, high + 1))

    def chance(self, probability: float) -> bool:
        """True so often."""
        return bool(self.generator.random() < probability)

    def choose(self, choices: Sequence[Choice]) -> Choice:
        """One of them."""
        return choices[self.pick(0, len(choices) - 1)]

    def shape(self, index: int) -> Shape:
        """The shape of a tensor."""
        return self.tensors[index].shape

    def tensor(self, spec: TensorSpec) -> int:
        """The number of a further tensor."""
        self.tensors.append(replace(spec, name=f"t{len(self.tensors)}"))
        return len(self.tensors) - 1

    def activation(self, shape: Shape, *, like: int | None = None) -> TensorSpec:
        """Quantized like another tensor or in a way of its own."""
        if like is not None:
            source = self.tensors[like]
            found = TensorSpec("", shape, scales=source.scales, zero_points=source.zero_points)
            return replace(found, dtype=self.dtype)
        return self.quantized(shape, self.choose(SCALES[self.dtype]), self.pick(-30, 30))

    def quantized(self, shape: Shape, scale: float, zero_point: int) -> TensorSpec:
        """With this quantization; int16 has zero point 0."""
        point = zero_point if self.dtype == "int8" else 0
        return TensorSpec("", shape, self.dtype, scales=(scale,), zero_points=(point,))

    def input(self, spec: TensorSpec) -> int:
        """An input of the model."""
        self.inputs.append(self.tensor(spec))
        if spec.dtype == self.dtype:
            self.values.append(self.inputs[-1])
        return self.inputs[-1]

    def constant(self, spec: TensorSpec, *, low: int | None = None) -> int:
        """The tensor with random values of its type, from `low` on."""
        limits = np.iinfo(spec.dtype)
        least = limits.min if low is None else low
        data = self.generator.integers(least, limits.max + 1, spec.shape).astype(spec.dtype)
        return self.tensor(replace(spec, data=data))

    def numbers(self, values: npt.ArrayLike) -> int:
        """A constant of int32 that tells what to do."""
        return self.tensor(int32s("", values))

    def node(
        self, name: str, inputs: Sequence[int], *outputs: TensorSpec, **options: OptionValue
    ) -> int:
        """A node; the number of its first output."""
        results = tuple(self.tensor(each) for each in outputs)
        self.values += [
            index
            for index in results
            if self.tensors[index].dtype == self.dtype and self.tensors[index].shape
        ]
        # a file of a converter has no table of options where all are at their defaults
        table = None if options or name != "RESHAPE" else ""
        version = 2 if name in ("DEQUANTIZE", "QUANTIZE") else 1
        self.operators.append(
            OperatorSpec(name, tuple(inputs), results, options, table, version=version)
        )
        return results[0]

    def requantized(self, index: int, *, like: int) -> int:
        """The tensor itself or, behind a QUANTIZE, the same in the quantization of another."""
        one, other = self.tensors[index], self.tensors[like]
        if (one.scales, one.zero_points) == (other.scales, other.zero_points):
            return index
        return self.node("QUANTIZE", [index], self.activation(one.shape, like=like))

    def reshaped(self, index: int, shape: Shape) -> int:
        """The tensor itself, or a view of it."""
        if self.shape(index) == shape:
            return index
        return self.node("RESHAPE", [index], self.activation(shape, like=index))

    def split_count(self, count: int, parts: int) -> Shape:
        """Random factors of a number."""
        found = []
        for _ in range(parts - 1):
            divisors = [size for size in range(1, min(count, 12) + 1) if count % size == 0]
            found.append(self.choose(divisors))
            count //= found[-1]
        return (*found, count)

    def of_rank(self, index: int, *ranks: int) -> int:
        """The tensor itself, or a view of it with one of these ranks."""
        shape = self.shape(index)
        if len(shape) in ranks:
            return index
        rank = self.choose(ranks)
        return self.reshaped(index, self.split_count(math.prod(shape), rank))

    def image(self, index: int) -> int:
        """The tensor itself, or a view of it with four dimensions."""
        shape = self.shape(index)
        if len(shape) == 4:
            return index
        return self.reshaped(index, (1, *self.split_count(math.prod(shape), 3)))

    def others(self, fits: Callable[[TensorSpec], bool]) -> list[int]:
        """The tensors of the graph's type that there are and that fit."""
        return [index for index in self.values if fits(self.tensors[index])]

    def alike(self, index: int) -> int:
        """A tensor of the same shape and quantization: an earlier one, or a constant."""
        shape = self.shape(index)
        found = self.others(lambda tensor: tensor.shape == shape)
        if self.chance(0.2):
            return self.constant(self.activation(shape, like=index))
        return self.requantized(self.choose(found), like=index)

    def model(self) -> ModelSpec:
        """Outputs are what nobody reads, and now and then another one."""
        read = {index for operator in self.operators for index in operator.inputs}
        made = [index for operator in self.operators for index in operator.outputs]
        outputs = [
            index
            for index in made
            if index not in read or (index in self.values and self.chance(0.07))
        ]
        return ModelSpec(
            tuple(self.tensors), tuple(self.operators), tuple(self.inputs), tuple(outputs)
        )


def real(shape: Shape) -> TensorSpec:
    """A tensor of real numbers."""
    return typed("", shape, "float32")
