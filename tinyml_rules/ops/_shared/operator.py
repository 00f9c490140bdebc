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
from tinyml_rules.ir.graph import Array, NodeView, Tensor
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
    """What the stages may ask of an operator without naming it."""

    COMPUTE = "compute"
    CONVERSION = "conversion"
    """Between real numbers and integers; at a model's ends it is the caller's."""
    LAYOUT = "layout"
    """Its outputs are its inputs' values, elsewhere: `Op.layout` tells where."""
    EFFECT = "effect"
    """It changes a variable; never removed, never moved past another."""
    CALL = "call"
    """It runs sub-graphs."""


class Handling(Enum):
    """What an operator does with a resource variable, which a file names by a handle."""

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
    and after that are added to the one image first, or taken away from it last."""

    sizes: tuple[int, ...]
    border: Pads

    @property
    def count(self) -> int:
        """Images that one image becomes."""
        return math.prod(self.sizes)


Check = Callable[[NodeView], Iterator[str]]
Fold = Callable[[int, Sequence[Array | None]], Sequence[Array | None]]
"""What a sub-graph gives, as far as that follows from what is known of its inputs."""
Oracle = Callable[[NodeView, Mapping[int, Array]], Array | tuple[Array, ...]]


def nothing(_view: NodeView) -> Iterator[str]:
    """What is wrong with any node."""
    yield from ()


def c_function(name: str, *, form: Form = Form.WHOLE, is_in_place: bool = False) -> Kernel:
    """A kernel that is a C function of the firmware's own: `name` is what the linker looks for."""
    if form not in (Form.WHOLE, Form.POINTWISE):
        raise ValueError(f"a C function has Form.WHOLE or Form.POINTWISE, not {form}")
    return Kernel(name=name, template=None, form=form, is_in_place=is_in_place)


@dataclass(frozen=True)
class Meaning(Generic[Facts]):
    """What an operator is for the operands that it `takes`, by their types.

    `operands` has the rules for each of them by its name; `check` yields all else that is wrong
    with a node whose operands keep them, as the texts of errors.  `prepare` does all arithmetic
    that does not depend on the input, and gives the facts that kernels ask; it is None where no
    kernel is ever called.  `oracle` is the meaning in numpy: the values of all inputs by tensor,
    constants included, to every output, behind them the new values of variables that are inputs,
    and last, of a node that may end an inference, whether it goes on.  `interval` is between which
    values every element of its output lies; without one it can be anything.
    """

    operands: Operands
    oracle: Oracle
    prepare: Callable[[NodeView], Work[Facts]] | None = None
    kernels: tuple[Kernel[Facts], ...] = ()
    takes: Callable[[NodeView], bool] = lambda _view: True
    interval: IntervalMeaning | None = None
    check: Check = nothing
    table_oracle: Oracle | None = None
    """The meaning in numpy where the compiler makes a table of the node; None for the same.  It
    differs where a reference calls a C library, whose bits a kernel of every part cannot have."""

    @property
    def may_end(self) -> bool:
        """Whether an inference may end behind such a node."""
        return any(kernel.may_end for kernel in self.kernels)


@dataclass(frozen=True)
class Op:
    """One operator's whole story; every folder of `ops` exports one as `OP`.

    `is_map`: whether each value of a node's output depends on the value at the same place of its
    one computed input, and on nothing else: such a node can be a table.
    """

    name: str
    inputs: tuple[str, ...]
    """Their names, as in a `Signature`."""
    summary: str
    """Types and options, one line for the table of operators."""
    meanings: tuple[Meaning, ...]
    """By the types of the operands; the first is judged where none takes a node."""
    builtin_code: int | None = None
    """The schema's BuiltinOperator; None for a custom operator, and one of the compiler's own."""
    custom_name: str = ""
    """What a file calls a custom operator."""
    options_type: int = 0
    """The schema's number of the options table (union BuiltinOptions), 0 for none."""
    attrs: type = NoOptions
    """A dataclass of `option` fields: the options that matter."""
    options: Check = nothing
    """What is wrong with a node's options by themselves, whatever its operands are."""
    outputs: tuple[str, ...] = ("output",)
    may_be_empty: tuple[str, ...] = ()
    """Constant inputs that may have no values: the shape of a scalar, for example."""
    macs: Callable[[NodeView], int] | None = None
    """Multiply-accumulates, from shapes alone, of an operator that has any."""
    role: Role = Role.COMPUTE
    layout: Callable[[NodeView], Iterable[Place] | None] | None = None
    """In the order in which they are copied; None for a node that a kernel does."""
    is_map: Callable[[NodeView], bool] = lambda _view: False
    keeps_order: Callable[[NodeView], bool] = lambda _view: False
    """Whether of two values side by side along the last dimension of a checked node's first input
    the larger one never gives the smaller result, whatever all values are."""
    handling: Handling | None = None
    state: Callable[[NodeView], tuple[Tensor, ...]] = lambda _view: ()
    """What a checked node keeps from one inference to the next and the file has no tensors for:
    variables, which become its last inputs."""
    keeps_outputs: bool = False
    """Its outputs may be variables."""
    calls: Callable[[NodeView], tuple[int, ...]] = lambda _view: ()
    """The numbers of the sub-graphs that a node runs."""
    course: Callable[[NodeView, Fold], Sequence[int] | None] = lambda _view, _fold: None
    """The sub-graphs that a checked node runs one after the other, each on what the one before
    gives, the first on the node's last inputs; None where that is not known yet."""
    border: Callable[[NodeView], Pads | None] | None = None
    """How many cells that mean 0 an operator puts around its first input, if it does no more."""
    with_border: Callable[[NodeView, Pads], object | None] | None = None
    """The attrs of a node that itself takes so many such cells to be around its first input; None
    where it cannot."""
    cut: Callable[[NodeView], Blocks] | None = None
    """How an operator makes many images of its first input, the border meaning 0."""
    joined: Callable[[NodeView], Blocks] | None = None
    """How it makes one image of many."""
    with_dilation: Callable[[NodeView, Blocks, Blocks], object | None] | None = None
    """The attrs of a node that does on one image what this one does on many, between an operator
    that cuts and one that joins; None where it cannot."""
    channels: Callable[[NodeView], Channels | None] = lambda _view: None
    """How the channels of a checked node's first input and of its output hang together, where a
    node without some of them is one of the same operator; None where that is not known."""
    quantization: QuantizationRule | None = None
    """How its tensors are quantized; None for an operator without an int8 form."""
    reads_shapes_alone: bool = False
    """What it gives is known without the values of its inputs."""

    @property
    def signature(self) -> Signature:
        """The names of its operands."""
        return Signature(self.inputs, self.outputs)

    @property
    def kernels(self) -> tuple[Kernel, ...]:
        """Those of all meanings."""
        return tuple(kernel for meaning in self.meanings for kernel in meaning.kernels)

    @property
    def is_internal(self) -> bool:
        """No file has it; passes make its nodes."""
        return self.builtin_code is None and not self.custom_name

    def meaning(self, view: NodeView) -> Meaning:
        """The one that takes the node's operands."""
        return next((each for each in self.meanings if each.takes(view)), self.meanings[0])

    def problems(self, view: NodeView) -> list[str]:
        """Everything that is wrong with a node that has as many operands as are declared."""
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
        """Every output of a checked node, from the values of its inputs by tensor."""
        known = {t.index: t.data for t in view.inputs if t is not None and t.data is not None}
        meaning = self.meaning(view)
        oracle = (meaning.table_oracle if is_for_table else None) or meaning.oracle
        found = oracle(view, {**known, **values})
        # numpy makes a scalar, which is no array, of what it computes without dimensions
        return tuple(map(np.asarray, found if isinstance(found, tuple) else (found,)))


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
        """How each names its operands."""
        return {op.name: op.signature for op in self.by_name.values()}

    @property
    def in_files(self) -> tuple[Op, ...]:
        """Those that a model file can have."""
        return tuple(op for op in self.by_name.values() if not op.is_internal)

    def of_code(self, code: int, custom_name: str) -> Op | None:
        """The operator of a number in the file, or of its name if it is a custom one."""
        key = (None, custom_name) if code == CUSTOM_CODE else (code, "")
        return self.by_code.get(key)
