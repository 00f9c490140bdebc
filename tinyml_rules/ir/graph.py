"""The model as it was written in the file, free of flatbuffers: tensors and nodes in order.

A Graph is never changed: a pass returns a new one.  It does not know what an operator means.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property

import numpy as np
import numpy.typing as npt

from tinyml_rules.errors import Problem
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.rounding_reference import RoundingReference
from tinyml_rules.ir.signature import Signature
from tinyml_rules.ir.text import short_name

Array = npt.NDArray[np.generic]


@dataclass(frozen=True)
class Quantization:
    """real = scale * (q - zero_point); one pair per tensor, or one per slice along `axis`.

    Scales are float32 values, as the file holds them, in Python floats.
    """

    scales: tuple[float, ...]
    zero_points: tuple[int, ...]
    axis: int = 0

    @property
    def is_per_axis(self) -> bool:
        return len(self.scales) > 1


@dataclass(frozen=True, eq=False)
class Tensor:
    """One tensor of the file; `data` holds a constant's values in `shape`, else None.

    A dimension may be 0, in a tensor that is only there to hold a scale.
    """

    index: int
    name: str
    shape: tuple[int, ...]
    dtype: DType
    quantization: Quantization | None = None
    data: Array | None = None
    is_variable: bool = False
    """It keeps its values from one inference to the next."""
    initial: Array | None = None
    """The initial values of a variable; None for the zero point, or 0."""
    unread: str = ""
    """The kind of a constant whose values cannot be read; `data` then holds the bytes."""
    origin: str = ""
    """The tensor of another graph that it is in one of the runs of that graph."""

    @property
    def count(self) -> int:
        """Number of elements; 1 for a scalar."""
        product = 1
        for dimension in self.shape:
            product *= dimension
        return product

    @property
    def size_bytes(self) -> int:
        """Bytes of the tensor in memory."""
        return self.count * self.dtype.size_bytes

    @property
    def first_value(self) -> int:
        """The initial value of the elements of a variable without `initial`, as in TFLM."""
        return self.zero_point if self.dtype is DType.INT8 else 0

    @property
    def is_constant(self) -> bool:
        return self.data is not None

    @property
    def scale(self) -> float:
        """The per-tensor scale; the tensor has to be quantized per tensor."""
        assert self.quantization is not None and not self.quantization.is_per_axis
        return self.quantization.scales[0]

    @property
    def zero_point(self) -> int:
        """The per-tensor zero point; the tensor has to be quantized per tensor."""
        assert self.quantization is not None and not self.quantization.is_per_axis
        return self.quantization.zero_points[0]

    def __str__(self) -> str:
        """Number and name."""
        return f"#{self.index} {short_name(self.name)}"


@dataclass(frozen=True, eq=False)
class Node:
    """One operator of the file.

    `op` is the builtin's name in lower case; `attrs` holds its options, None for an operator that
    this compiler does not have.  An input of None is an optional operand that was left out.
    """

    index: int
    op: str
    version: int
    inputs: tuple[int | None, ...]
    outputs: tuple[int, ...]
    attrs: object
    origin: str = ""
    """The name in errors of a node that comes from another graph."""


class Kept(StrEnum):
    """Why a channel stays that has one value, or that is unused."""

    USED = "used"
    EDGE = "edge"
    """A window that is partly outside the image reads it; cells outside are the zero point."""
    BIAS = "bias"
    """The bias that would replace it does not fit in int32."""
    READER = "reader"
    """It is read by an operator that needs all channels, or by the caller."""
    TIED = "tied"
    """The same channel of another tensor stays, and one is computed from the other."""
    GROUP = "group"
    """It fills up a group of channels, which kernels compute in the same time."""


@dataclass(frozen=True)
class Trimmed:
    """What a pass removed from a node: the numbers of `constant` and of `unused` ones among its
    output `channels`; all of them if the whole node was removed.  `kept` counts further such
    channels that stay."""

    node: int
    op: str
    channels: int
    constant: int = 0
    unused: int = 0
    kept: tuple[tuple[Kept, int], ...] = ()


@dataclass(frozen=True)
class Tabulated:
    """Nodes, by number, that were replaced by tables; how many tables, and the multiply-accumulates
    that an inference no longer does."""

    nodes: tuple[int, ...]
    tables: int
    macs: int


@dataclass(frozen=True)
class Known:
    """Bounds for the values of a graph's tensors, for all inputs."""

    sums: Mapping[int, tuple[int, int]]
    """By output tensor of a node with weights: the least and the greatest sum of products, bias
    included."""
    too_large: tuple[int, ...]
    """Nodes with so many products or elements that no bounds are computed."""
    values: Mapping[int, tuple[int, int]] = field(default_factory=dict)
    """The least and the greatest value of an int8 tensor, where that is not any."""


@dataclass(frozen=True, eq=False)
class Graph:
    """A model's first sub-graph, or another that a node calls; nodes are in the order in which
    they run."""

    name: str
    tensors: tuple[Tensor, ...]
    nodes: tuple[Node, ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    sha256: str
    """Of the model file."""
    file_inputs: tuple[int, ...] = ()
    file_outputs: tuple[int, ...] = ()
    """The file's own inputs and outputs, in the same order, after conversions from and to float32
    at the model's ends were cut off; empty before."""
    added_outputs: int = 0
    """How many outputs the compiler added after those of the file."""
    title: str = ""
    """Its name in the file."""
    others: tuple[Graph, ...] = ()
    """The file's further graphs, from number 1 on."""
    trimmed: tuple[Trimmed, ...] = ()
    """What `passes/remove_channels` removed, by node."""
    left_channels: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    """For each tensor that lost channels: the numbers of those that are still there."""
    tabulated: tuple[Tabulated, ...] = ()
    """The parts that `passes/tabulate_model` replaced by tables."""
    known: Known = Known({}, ())
    """The bounds for the remaining tensors."""
    cautions: tuple[Problem, ...] = ()
    """Warnings about its numbers, with which the compiler computes nevertheless; from
    `passes/cautions`."""
    reference: RoundingReference = RoundingReference.TFLM
    """Whose integers its operators give."""
    is_of_uint8: bool = False
    """Whether its int8 is uint8 in the file, so that results are those of LiteRT's kernels for
    uint8 (`passes/uint8_as_int8.py`)."""
    widens_weights: bool = False
    """Whether layers of float32 take weights of int8, and widen them where they use them."""
    signatures: Mapping[str, Signature] = field(default_factory=dict)
    """How each operator names its operands."""

    def of_reference(self, reference: RoundingReference) -> Graph:
        """The same, and all further graphs of the file, with the integers of another reference."""
        others = tuple(replace(each, reference=reference) for each in self.others)
        return replace(self, reference=reference, others=others)

    def other(self, number: int) -> Graph:
        """A further graph of the file, which may call others itself."""
        return replace(self.others[number - 1], others=self.others)

    def where(self, node: Node) -> str:
        """The name of a node in errors: `speech: node 0 (depthwise_conv_2d)`."""
        return node.origin or f"{self.name}: node {node.index} ({node.op})"


@dataclass(frozen=True, eq=False)
class NodeView:
    """A node with its tensors looked up: the argument of an operator's functions."""

    graph: Graph
    node: Node
    run: Callable[[int, Sequence[Array]], tuple[Array, ...]] | None = None
    """Runs another graph of the file, by number; given where nodes are evaluated in numpy."""
    changed: Mapping[int, Tensor] = field(default_factory=dict)
    """Tensors that replace the graph's, for a pass that has not made a graph of them yet."""
    _asked_for: dict[str, Tensor | None] = field(default_factory=dict, init=False)
    """By name, those that were looked up."""

    @property
    def reference(self) -> RoundingReference:
        """Whose integers the node gives."""
        return self.graph.reference

    @property
    def is_of_uint8(self) -> bool:
        """Whether it gives what LiteRT's kernel for uint8 does."""
        return self.graph.is_of_uint8

    @cached_property
    def inputs(self) -> tuple[Tensor | None, ...]:
        tensor = self._tensor
        return tuple(None if index is None else tensor(index) for index in self.node.inputs)

    @cached_property
    def outputs(self) -> tuple[Tensor, ...]:
        return tuple(self._tensor(index) for index in self.node.outputs)

    def _tensor(self, index: int) -> Tensor:
        return self.changed.get(index) or self.graph.tensors[index]

    def __getitem__(self, name: str) -> Tensor:
        """The operand of that name, which has to be there."""
        found = self.optional(name)
        assert found is not None
        return found

    def optional(self, name: str) -> Tensor | None:
        """The operand of that name, or None where the node leaves it out."""
        if name not in self._asked_for:
            self._asked_for[name] = next(iter(self.each(name)), None)
        return self._asked_for[name]

    def each(self, name: str) -> tuple[Tensor, ...]:
        """All operands of that name."""
        node, signature = self.node, self.graph.signatures[self.node.op]
        is_input, places = signature.places(name, len(node.inputs), len(node.outputs))
        indices = [(node.inputs if is_input else node.outputs)[place] for place in places]
        return tuple(self._tensor(index) for index in indices if index is not None)

    def input(self, position: int) -> Tensor:
        """The operand at `position`, which must not be left out."""
        index = self.node.inputs[position]
        assert index is not None
        return self._tensor(index)

    def optional_input(self, position: int) -> Tensor | None:
        """The operand at `position`, or None where the node leaves it out."""
        index = self.node.inputs[position] if position < len(self.node.inputs) else None
        return None if index is None else self._tensor(index)

    @property
    def output(self) -> Tensor:
        """The single output."""
        (tensor,) = self.outputs
        return tensor
