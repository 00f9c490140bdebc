"""The model as it will run: one kernel call (Step) a node, every constant prepared; addresses are
the plan's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from pathlib import Path
from typing import Any, Generic

from tinyml_rules.ir.buffers import Buffer, Layout, Life, Scratch, living
from tinyml_rules.ir.c_struct import members, tables
from tinyml_rules.ir.condition import NO_FACTS, Condition, Facts
from tinyml_rules.ir.contract import Contract, rounded_contract
from tinyml_rules.ir.far_pieces import far_piece
from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.graph import Graph, Node
from tinyml_rules.ir.packed import Packed, Packing
from tinyml_rules.ir.requantization import Requantization
from tinyml_rules.ir.rounding import Rounding
from tinyml_rules.ir.table import Table
from tinyml_rules.ir.window import Reach, Window
from tinyml_rules.ir.words import ONLY, Variant
from tinyml_rules.ir.work_kind import WorkKind


class Form(Enum):
    """How a kernel walks over its tensors, which is all that the planner needs to know of it."""

    POINTWISE = "pointwise"
    """`kernel(params, inputs..., output, count)`: `count` units one after the other, each output
    unit from the input unit at the same place (a pixel, a vector, a value).  One with
    `scratch` is given the pointer to it in front of the count."""

    WINDOW = "window"
    """`kernel_row(params, rows, output)`: one output row from `window.height` input rows, all of
    them addresses of bytes, for all types of elements; a row outside the image is a null pointer.
    `kernel_row(params, rows, output, first_pixel, pixels)`, where rows are made in pieces, with
    `output` at the piece.  One that `takes_row` is given its number in front of `output`, and one
    with `scratch` the pointer to it last, one that keeps rows then the pointer to those."""

    ROWS = "rows"
    """`kernel_begin(params, sums)`, `kernel_row(params, row, first, count, sums)` for each piece of
    `count` values from the `first` on, `kernel_end(params, sums, output)`: a step that takes its
    input in pieces of any length and keeps sums (int32) between them."""

    WHOLE = "whole"
    """`kernel(params, inputs..., outputs..., scratch...)`: any element may depend on any other."""

    CALL = "call"
    """`function(inputs..., outputs..., memory)`, one a node: it runs graphs in that memory."""


@dataclass(frozen=True)
class Kernel(Generic[Facts]):
    """One implementation of an operator: a C template and when it may be used.

    Without a template it is the C function `name` of the firmware's own, which the header declares.
    `requires` are features that the target must have, `excludes` those that it must not.  `runtime`
    names the pieces of emit/runtime that the C text calls; `variant` has the template's own words.
    A pointwise kernel `is_in_place` when it reads each value before it writes the one at its place,
    from the first to the last, so that a unit may be overwritten by its own output of the same
    size, there or below; one that `copies_unit` has read whole units before, so sizes may differ.
    """

    name: str
    template: Path | None
    form: Form
    requires: frozenset[Feature] = frozenset()
    excludes: frozenset[Feature] = frozenset()
    can: tuple[Condition[Facts], ...] = ()
    """What its results depend on: sizes, and bounds of sums."""
    pays: tuple[Condition[Facts], ...] = ()
    """Where it was measured to be faster than the kernels after it in its operator's list."""
    runtime: tuple[str, ...] = ()
    is_in_place: bool = False
    copies_unit: bool = False
    units_at_once: int = 1
    """Form.POINTWISE: units that it reads until all are written; what is left, each alone."""
    may_end: bool = False
    """Whether its function tells if the inference goes on after it; if not, outputs stay."""
    takes_row: bool = False
    """Form.WINDOW: what it does differs from row to row, so that it gets the row's number."""
    rows_at_once: int = 1
    """Form.WINDOW: rows that it makes at a time, and keeps until they are called for in order."""
    in_rows: Kernel | None = None
    """The kernel of Form.ROWS that does the same work, for a stream that ends here."""
    variant: Variant = ONLY
    rounding: Rounding = Rounding.TWICE
    """How it requantizes; its name and its pieces of C end with that."""
    scratch: Callable[[Work[Facts]], Scratch] | None = None
    """The memory that it needs for a node's work; its form `in_rows` needs none."""
    pack: Callable[[Work[Facts]], Packed] | None = None
    """What it, and its form `in_rows`, read instead of plain tables: external or packed weights."""
    pack_pieces: Callable[[Work[Facts], int], Packed] | None = None
    """Form.ROWS: the packed weights that the params hold, for pieces of so many values."""
    has_far_form: bool = False
    """Whether the template can read the params' `weights` by addresses of more than 16 bits."""
    is_far: bool = False
    """Whether it does."""
    is_for_speed: bool = False
    """It takes more flash or stack than the next one, and is left out unless speed counts."""
    is_large: bool = False
    """It takes more flash, and is left out where the part has no room for it."""
    contract: Contract | None = None
    """What its C function relies on, and what it writes; without one it is not proved."""

    @property
    def is_c_function(self) -> bool:
        """Whether the firmware has it, and not the generated file."""
        return self.template is None

    def takes(self, facts: Facts) -> bool:
        """Whether it can do a node's work, and that pays."""
        return all(each.holds(facts) for each in (*self.can, *self.pays))

    def rounded(self, rounding: Rounding) -> Kernel[Facts]:
        """The same kernel, requantizing so; its contract needs one of the piece that it calls."""
        return replace(
            self,
            name=f"{self.name}{rounding.value}",
            runtime=tuple(map(rounding.of_piece, self.runtime)),
            in_rows=None if self.in_rows is None else self.in_rows.rounded(rounding),
            rounding=rounding,
            contract=rounded_contract(self.contract, self.rounding, rounding),
        )

    def can_round(self, rounding: Rounding) -> bool:
        """Whether all that requantizes for it has such a form; not where it has its own way."""
        return "requantize" in self.runtime and all(map(rounding.has, self.runtime))

    @property
    def far_form(self) -> Kernel[Facts]:
        """The same kernel for `weights` that are beyond the reach of 16-bit addresses."""
        assert self.has_far_form
        return replace(
            self,
            name=f"{self.name}_far",
            runtime=tuple(map(far_piece, self.runtime)),
            in_rows=None if self.in_rows is None else self.in_rows.far_form,
            is_far=True,
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class Work(Generic[Facts]):
    """What a node asks of a kernel.  `params` is a frozen dataclass whose fields are the members of
    the kernel's C struct; `inputs` are the activations that it reads and `outputs` those that it
    writes, by tensor index.  A variable that it changes is among the inputs."""

    params: object
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    facts: Facts = NO_FACTS
    """What its operator's kernels ask before one is chosen; None where none of them asks."""
    alignment: int = 1  # of the outputs' buffers, in bytes
    scratch: tuple[Scratch, ...] = ()
    calls: tuple[int, ...] = ()
    """Form.CALL: the numbers of the graphs that it runs, in memory of theirs."""
    units: int = 1
    """Form.POINTWISE: how many units the whole tensor has."""
    chunk: int = 1
    """Form.POINTWISE: units that a walk from the end takes at a time; divides `units`."""
    window: Window | None = None
    """Form.WINDOW: the rows; a kernel of another form leaves it out."""
    columns: Reach | None = None
    """Form.WINDOW: the pixels of a row, as `window.rows` has the rows."""
    kept: tuple[int, ...] = ()
    """Form.POINTWISE: variables among the inputs that change unit by unit, from the first on."""
    shared: tuple[int, ...] = ()
    """Form.POINTWISE: inputs of which every unit reads all, such as a factor for each channel."""
    weights: int | None = None
    """The tensor of the params' `weights`, where a kernel may have them packed."""
    patch: int = 0
    """How many input values an output sees, for a kernel that copies or lists them side by side."""
    sums: int = 0
    """How many sums the node needs to take its input in pieces; 0 where it cannot."""
    macs: int = 0
    kind: WorkKind = WorkKind.OTHER
    overflow: str = ""
    """Where a sum can leave int32, for some input: what a warning says; the code then wraps."""
    requantization: Requantization | None = None
    """How it requantizes with the `multiplier` and `shift` of its params; None: in another way."""

    @property
    def output(self) -> int:
        """The single output."""
        (tensor,) = self.outputs
        return tensor


@dataclass(frozen=True, eq=False, kw_only=True)
class Step(Work[Any]):
    """One kernel call: a node's work and the kernel that was chosen for it."""

    node: Node
    kernel: Kernel
    external: bytes = b""
    """The constants outside flash, the step's part of the weights file."""
    packing: Packing | None = None  # of its weights
    shifting: object | None = None
    """As Packed has it."""
    workspace: tuple[int, ...] = ()
    """The buffers of its scratch memory."""
    candidates: tuple[str, ...] = ()
    """The names of kernels that can do its work, its own first, without the ends for rounding."""
    label: str = ""
    """What sets it apart from other steps of its node; empty for the only one."""
    inner: tuple[Step, ...] = ()
    """The steps of a group (`ir/group.py`), which its kernel runs pixel by pixel."""

    @property
    def name(self) -> str:
        """Its own among all steps of a program, for C."""
        return self.label or str(self.node.index)

    @property
    def has_constants(self) -> bool:
        """Whether its kernel is given a struct."""
        return any(members(self.params))

    @cached_property
    def tables(self) -> dict[str, Table]:
        """The constants that its params point to, by member."""
        return {
            member: Table(values, self.kernel.is_far and member == "weights")
            for member, values in tables(self.params).items()
        }

    @property
    def constant_bytes(self) -> int:
        """Bytes of its tables, and of those of a group's steps."""
        inner = sum(each.constant_bytes for each in self.inner)
        return inner + sum(table.values.nbytes for table in self.tables.values())

    @property
    def tensors(self) -> tuple[int, ...]:
        """All that it reads and writes."""
        return (*self.inputs, *self.outputs)


@dataclass(frozen=True, eq=False)
class Program:
    """Steps in the order in which they run, and the tensors that they work on: each has a layout in
    a buffer.  A buffer of one tensor has that tensor's number."""

    graph: Graph
    steps: tuple[Step, ...]
    layouts: Mapping[int, Layout]
    buffers: Mapping[int, Buffer]
    features: frozenset[Feature]
    called: tuple[Program, ...] = ()
    """Of the graphs that nodes run."""
    resets: tuple[Step, ...] = ()
    """What gives the variables their initial values."""
    external: bytes = b""
    """The weights file: what the steps read from outside flash, one after another."""

    @property
    def all_steps(self) -> tuple[Step, ...]:
        """With those of the graphs that nodes run, and with what resets variables."""
        every = (step for each in (self, *self.called) for step in (*each.steps, *each.resets))
        return tuple(each for step in every for each in (*step.inner, step))

    @cached_property
    def tables(self) -> dict[tuple[str, bytes, bool], Table]:
        """All constants of the steps, equal ones once."""
        return {table.key: table for step in self.all_steps for table in step.tables.values()}

    @property
    def constant_bytes(self) -> int:
        """Bytes of all tables: weights, biases, multipliers and the like."""
        return sum(table.values.nbytes for table in self.tables.values())

    def buffer_of(self, tensor: int) -> int:
        """The buffer of a tensor."""
        return self.layouts[tensor].buffer

    def has_all(self, tensor: int) -> bool:
        """Whether a tensor is all of its buffer."""
        layout = self.layouts[tensor]
        size = self.graph.tensors[tensor].size_bytes
        return layout.offset_bytes == 0 and size == self.buffers[layout.buffer].size_bytes

    @property
    def may_end(self) -> bool:
        """Whether an inference may end early, without new outputs."""
        return any(step.kernel.may_end for step in self.steps)

    @cached_property
    def alignment(self) -> int:
        """Every buffer begins at a multiple of it."""
        return max((buffer.alignment for buffer in self.buffers.values()), default=1)

    @cached_property
    def variables(self) -> tuple[int, ...]:
        """The buffers that live on."""
        return living(self.buffers, Life.MODEL)
