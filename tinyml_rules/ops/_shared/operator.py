"""What an operator's folder offers to the compiler: the Op record."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Generic

import numpy as np

from tinyml_rules.ir.buffers import Place
from tinyml_rules.ir.condition import Facts
from tinyml_rules.ir.graph import Array, Graph, Node, NodeView, Tensor
from tinyml_rules.ir.options import NoOptions
from tinyml_rules.ir.program import Form, Kernel, Work
from tinyml_rules.ir.signature import Signature
from tinyml_rules.ops._shared.channels import Channels
from tinyml_rules.ops._shared.interval import IntervalMeaning
from tinyml_rules.ops._shared.operands import Operands, wrong_operands, wrong_sizes
from tinyml_rules.ops._shared.quantization import QuantizationRule

CUSTOM_CODE = 32
"""The schema's BuiltinOperator of an operator that a file gives by its name."""


class Role(Enum):
    """The kind of an operator, which stages ask for instead of its name."""

    COMPUTE = "compute"
    CONVERSION = "conversion"
    """Between real numbers and integers; at a model's ends it is the caller's."""
    LAYOUT = "layout"
    """Its outputs are its inputs' values at other places, which `Op.layout` gives."""
    EFFECT = "effect"
    """It changes a variable; never removed, never moved past another."""
    CALL = "call"
    """It runs sub-graphs."""


class Handling(Enum):
    """What an operator does with a resource variable."""

    NAMES = "names"
    READS = "reads"
    ASSIGNS = "assigns"
    STARTS = "starts"
    """It runs a graph that assigns initial values, once."""


Pads = tuple[tuple[int, int], ...]
"""Cells (before, after) along each dimension."""


@dataclass(frozen=True)
class Blocks:
    """An image as the images of every n-th cell, along height and width: n, and the cells before
    and after that are first added to the image, or finally cropped from it."""

    sizes: tuple[int, ...]
    border: Pads

    @property
    def count(self) -> int:
        """Images that one image becomes."""
        return math.prod(self.sizes)


@dataclass(frozen=True)
class Fusion:
    """A node that takes the place of several, by number, the last of which makes its outputs."""

    node: Node
    replaced: frozenset[int]


Check = Callable[[NodeView], Iterator[str]]
Fold = Callable[[int, Sequence[Array | None]], Sequence[Array | None]]
"""The outputs of a sub-graph from its known inputs; None for an output that depends on others."""
Oracle = Callable[[NodeView, Mapping[int, Array]], Array | tuple[Array, ...]]


def nothing(_view: NodeView) -> Iterator[str]:
    """A check without rules."""
    yield from ()


def c_function(name: str, *, form: Form = Form.WHOLE, is_in_place: bool = False) -> Kernel:
    """A kernel that is a C function of the firmware, called `name`."""
    if form not in (Form.WHOLE, Form.POINTWISE):
        raise ValueError(f"a C function has Form.WHOLE or Form.POINTWISE, not {form}")
    return Kernel(name=name, template=None, form=form, is_in_place=is_in_place)


@dataclass(frozen=True)
class Meaning(Generic[Facts]):
    """An operator for one combination of element types: nodes that it `takes`.

    `operands` has the rules of each operand, by its name; `check` yields the messages for
    everything else that is wrong with a node. `prepare` does all arithmetic that does not depend on
    the input, and makes the facts that kernels ask for; None if there are no kernels. `oracle`
    computes the node in numpy: from the values of all inputs by tensor, constants included, to the
    outputs, then the new values of variables that are inputs, and last, if the node may end an
    inference, whether it goes on. `interval` gives bounds for every element of the output; without
    one it can be anything.
    """

    operands: Operands
    oracle: Oracle
    prepare: Callable[[NodeView], Work[Facts]] | None = None
    kernels: tuple[Kernel[Facts], ...] = ()
    takes: Callable[[NodeView], bool] = lambda _view: True
    interval: IntervalMeaning | None = None
    check: Check = nothing
    table_oracle: Oracle | None = None
    """The oracle for a node that becomes a table; None for `oracle`. It differs if a reference
    calls a C library, whose last bits a kernel cannot reproduce on every part."""

    @cached_property
    def may_end(self) -> bool:
        """Whether an inference may end after such a node."""
        return any(kernel.may_end for kernel in self.kernels)

    def evaluate(
        self, view: NodeView, values: Mapping[int, Array], *, is_for_table: bool = False
    ) -> tuple[Array, ...]:
        """The outputs of a checked node of this meaning."""
        known = {t.index: t.data for t in view.inputs if t is not None and t.data is not None}
        oracle = (self.table_oracle if is_for_table else None) or self.oracle
        found = oracle(view, {**known, **values})
        # numpy makes a scalar, which is no array, of a result without dimensions
        return tuple(map(np.asarray, found if isinstance(found, tuple) else (found,)))


@dataclass(frozen=True)
class Op:
    """The record of an operator; every folder of `ops` exports one as `OP`.

    `is_map`: whether each output value depends only on the value at the same place of the one
    computed input, so that a node can be a table.
    """

    name: str
    inputs: tuple[str, ...]
    """Names of the inputs, as in a `Signature`."""
    summary: str
    """Types and options, one line of the table of operators."""
    meanings: tuple[Meaning, ...]
    """The first that takes a node is used; if none does, the first one's messages are reported."""
    builtin_code: int | None = None
    """The schema's BuiltinOperator; None for a custom operator, and for one that only passes
    make."""
    custom_name: str = ""
    """The name of a custom operator in files."""
    options_type: int = 0
    """The schema's number of the options table (union BuiltinOptions), 0 for none."""
    attrs: type = NoOptions
    """A dataclass of `option` fields: the options that are read."""
    options: Check = nothing
    """A check of a node's options alone, for any operands."""
    outputs: tuple[str, ...] = ("output",)
    may_be_empty: tuple[str, ...] = ()
    """Constant inputs that may have no values: the shape of a scalar, for example."""
    macs: Callable[[NodeView], int] | None = None
    """Multiply-accumulates of a node, from shapes alone; None for an operator without any."""
    role: Role = Role.COMPUTE
    layout: Callable[[NodeView], Iterable[Place] | None] | None = None
    """Places of a node's elements, in the order of copying; None for a node that needs a kernel."""
    is_map: Callable[[NodeView], bool] = lambda _view: False
    keeps_order: Callable[[NodeView], bool] = lambda _view: False
    """Whether a larger value along the last dimension of a checked node's first input never has a
    smaller result than its neighbours, for all inputs."""
    handling: Handling | None = None
    state: Callable[[NodeView], tuple[Tensor, ...]] = lambda _view: ()
    """State of a checked node for which the file has no tensors: variables, which become its last
    inputs."""
    keeps_outputs: bool = False
    """Its outputs may be variables."""
    calls: Callable[[NodeView], tuple[int, ...]] = lambda _view: ()
    """The numbers of the sub-graphs that a node runs."""
    course: Callable[[NodeView, Fold], Sequence[int] | None] = lambda _view, _fold: None
    """The sub-graphs that a checked node runs, if constants decide it: the first on the node's last
    inputs, each further one on the outputs of the one before. None if only the run decides."""
    border: Callable[[NodeView], Pads | None] | None = None
    """The border of zeros that a node adds to its first input; None if it does anything else."""
    with_border: Callable[[NodeView, Pads], object | None] | None = None
    """The attrs of a node that has this border of its first input built in; None if that is not
    possible."""
    without_padding: Callable[[NodeView], object] | None = None
    """The attrs of a checked node for an image that has its padding in it, as zeros; None if it
    leaves out what is outside."""
    cut: Callable[[NodeView], Blocks] | None = None
    """How a node divides its first input, with a border of zeros, into images."""
    joined: Callable[[NodeView], Blocks] | None = None
    """How a node joins images into one."""
    with_dilation: Callable[[NodeView, Blocks, Blocks], object | None] | None = None
    """The attrs of a node that does on one image what this one does between a node that divides and
    one that joins; None if that is not possible."""
    channels: Callable[[NodeView], Channels | None] = lambda _view: None
    """How a checked node's output channels depend on its input channels, if it can do without some
    of them; None if that is not known."""
    quantization: QuantizationRule | None = None
    """How its tensors are quantized; None for an operator without an int8 form."""
    fuse: Callable[[Graph, Node, Operators], Fusion | None] | None = None
    """The node of this operator that does the work of several, given the last of them; None if they
    are not there, or do not what it can."""
    fuses: frozenset[str] = frozenset()
    """Operators that are always among those several: `fuse` is asked where a graph has them all."""
    reads_shapes_alone: bool = False
    """Its outputs depend only on the shapes of its inputs."""

    @property
    def signature(self) -> Signature:
        """The names of its operands."""
        return Signature(self.inputs, self.outputs)

    @property
    def title(self) -> str:
        """Its name in files, as tables show it."""
        return self.custom_name or self.name.upper()

    @property
    def kernels(self) -> tuple[Kernel, ...]:
        """The kernels of all meanings."""
        return tuple(kernel for meaning in self.meanings for kernel in meaning.kernels)

    @property
    def is_internal(self) -> bool:
        """Whether only passes make its nodes, so that no file has it."""
        return self.builtin_code is None and not self.custom_name

    def meaning(self, view: NodeView) -> Meaning:
        """The meaning that takes the node's operands."""
        return next((each for each in self.meanings if each.takes(view)), self.meanings[0])

    def problems(self, view: NodeView) -> list[str]:
        """Messages for everything that is wrong with a node; its operand counts are right."""
        meaning, signature = self.meaning(view), self.signature
        operands = meaning.operands
        return (
            [*wrong_operands(view, operands), *self.options(view)]
            or list(wrong_sizes(view, operands, signature.input_names))
            or list(meaning.check(view))
            or list(wrong_sizes(view, operands, signature.output_names))
        )

    def evaluate(
        self, view: NodeView, values: Mapping[int, Array], *, is_for_table: bool = False
    ) -> tuple[Array, ...]:
        """The outputs of a checked node, from the values of its inputs by tensor."""
        return self.meaning(view).evaluate(view, values, is_for_table=is_for_table)


@dataclass(frozen=True, eq=False)
class Operators(Mapping[str, Op]):
    """The operators that a compilation knows: by name, and by the schema's BuiltinOperator."""

    by_name: Mapping[str, Op]
    by_code: Mapping[tuple[int | None, str], Op]

    @classmethod
    def of(cls, ops: Iterable[Op]) -> Operators:
        """From the records, in their order."""
        by_name = {op.name: op for op in ops}
        by_code = {(op.builtin_code, op.custom_name): op for op in by_name.values()}
        return cls(by_name, by_code)

    def __getitem__(self, name: str) -> Op:
        return self.by_name[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.by_name)

    def __len__(self) -> int:
        return len(self.by_name)

    @cached_property
    def signatures(self) -> Mapping[str, Signature]:
        """The names of each operator's operands."""
        return {op.name: op.signature for op in self.by_name.values()}

    @cached_property
    def fusing(self) -> tuple[Op, ...]:
        """Those that look for nodes that one of theirs can replace."""
        return tuple(op for op in self.by_name.values() if op.fuse is not None)

    @property
    def in_files(self) -> tuple[Op, ...]:
        """The operators that a model file can have."""
        return tuple(op for op in self.by_name.values() if not op.is_internal)

    def of_code(self, code: int, custom_name: str) -> Op | None:
        """The operator with this BuiltinOperator, or, of a custom one, with this name."""
        key = (None, custom_name) if code == CUSTOM_CODE else (code, "")
        return self.by_code.get(key)
