"""The model as it was written in the file, free of flatbuffers: tensors and nodes in order.

A Graph is never changed: a pass returns a new one.  It does not know what an operator means.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

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
    """Of a variable: its first values; None for the zero point, or 0."""
    unread: str = ""
    """Of a constant whose values cannot be read: what it is; `data` then holds the bytes."""

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
        """What every element of a variable without `initial` is at first, as in TFLM."""
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
    this compiler does not have.  An input of None is an
    optional operand that was left out.
    """

    index: int
    op: str
    version: int
    inputs: tuple[int | None, ...]
    outputs: tuple[int, ...]
    attrs: object
    origin: str = ""
    """How an error names a node that was taken over from another graph."""


class Kept(StrEnum):
    """Why a channel stays that has one value, or that nobody uses."""

    USED = "used"
    EDGE = "edge"
    """A window reads it that lies in part outside the image, where the zero point stands."""
    BIAS = "bias"
    """int32 does not hold the bias that would stand for it."""
    READER = "reader"
    """An operator reads it, or the caller, that needs all channels."""
    TIED = "tied"
    """The same channel of another tensor stays, which is made of it or it of that."""
    GROUP = "group"
    """The kernels take a group of channels in the same time."""


@dataclass(frozen=True)
class Trimmed:
    """What a pass left out of a node: of so many output channels those that are `constant` and
    those that are `unused`; all of them where the whole node went.  `kept` are further such
    channels that stay."""

    node: int
    op: str
    channels: int
    constant: int = 0
    unused: int = 0
    kept: tuple[tuple[Kept, int], ...] = ()


@dataclass(frozen=True)
class Tabulated:
    """Nodes, by number, for which tables stand, the results of some of them: how many tables, and
    the multiply-accumulates of an inference that are gone."""

    nodes: tuple[int, ...]
    tables: int
    macs: int


@dataclass(frozen=True)
class Known:
    """What is known of the values of a graph's tensors, whatever its inputs are."""

    sums: Mapping[int, tuple[int, int]]
    """By the tensor that a node with weights makes: the least and the greatest sum of products,
    bias included."""
    too_large: tuple[int, ...]
    """Nodes with so many products or elements that nothing is worked out."""


@dataclass(frozen=True, eq=False)
class Graph:
    """A model's first sub-graph, or another that a node calls; nodes stand in the order in which
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
    """The file's own inputs and outputs, in the same order, once others may stand for them: where
    conversions from and to float32 at the model's ends are the caller's; empty before."""
    added_outputs: int = 0
    """How many outputs the compiler has put behind those of the file."""
    title: str = ""
    """What the file calls it."""
    others: tuple[Graph, ...] = ()
    """The file's further graphs, from number 1 on."""
    trimmed: tuple[Trimmed, ...] = ()
    """What `passes/remove_channels` left out, by node."""
    left_channels: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    """By tensor, where it left out some: the numbers of those that are still there."""
    tabulated: tuple[Tabulated, ...] = ()
    """What `passes/tabulate_model` put tables in the place of."""
    known: Known = Known({}, ())
    """What it knew then of all that is left."""
    cautions: tuple[Problem, ...] = ()
    """What a person should hear of its numbers, although they are computed with; found by
    `passes/cautions`."""
    reference: RoundingReference = RoundingReference.TFLM
    """Whose integers its operators give."""
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
        """How an error names a node: `speech: node 0 (depthwise_conv_2d)`."""
        return node.origin or f"{self.name}: node {node.index} ({node.op})"


@dataclass(frozen=True, eq=False)
class NodeView:
    """A node with its tensors looked up: what an operator's own functions are given."""

    graph: Graph
    node: Node
    run: Callable[[int, Sequence[Array]], tuple[Array, ...]] | None = None
    """Runs another graph of the file, by number, where meanings in numpy are computed."""
    changed: Mapping[int, Tensor] = field(default_factory=dict)
    """Tensors in the place of the graph's, for a pass that has not made a graph of them yet."""

    @property
    def reference(self) -> RoundingReference:
        """Whose integers the node gives."""
        return self.graph.reference

    @property
    def inputs(self) -> tuple[Tensor | None, ...]:
        tensor = self._tensor
        return tuple(None if index is None else tensor(index) for index in self.node.inputs)

    @property
    def outputs(self) -> tuple[Tensor, ...]:
        return tuple(self._tensor(index) for index in self.node.outputs)

    def _tensor(self, index: int) -> Tensor:
        return self.changed.get(index) or self.graph.tensors[index]

    def __getitem__(self, name: str) -> Tensor:
        """The operand of that name, which has to be there."""
        found = self.get(name)
        assert found is not None
        return found

    def get(self, name: str) -> Tensor | None:
        """The operand of that name, or None where the node leaves it out."""
        return next(iter(self.each(name)), None)

    def each(self, name: str) -> tuple[Tensor, ...]:
        """All operands of that name."""
        node, signature = self.node, self.graph.signatures[self.node.op]
        is_input, places = signature.places(
            name, inputs=len(node.inputs), outputs=len(node.outputs)
        )
        indices = [(node.inputs if is_input else node.outputs)[place] for place in places]
        return tuple(self._tensor(index) for index in indices if index is not None)

    def input(self, position: int) -> Tensor:
        """The operand at `position`, which has to be there."""
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
