"""The model as it will run: one kernel call (Step) a node, with every constant prepared.

A Program knows nothing of memory addresses: the plan adds them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from enum import Enum
from pathlib import Path

import numpy as np

from tinyml_rules.ir.graph import Array, Graph, Node


class Form(Enum):
    """How a kernel walks over its tensors, which is all that the planner needs to know of it."""

    POINTWISE = "pointwise"
    """`kernel(params, inputs..., output, count)`: `count` units one after the other, each output
    unit from the input unit at the same place (a pixel, a vector, a value)."""

    WINDOW = "window"
    """`kernel_row(params, rows, output)`: one output row from `window.height` input rows; a row
    outside the image is a null pointer."""

    ROWS = "rows"
    """`kernel_begin(params, sums)`, `kernel_row(params, row, first, count, sums)` for each piece of
    `count` values from the `first` on, `kernel_end(params, sums, output)`: a step that takes its
    input in pieces of any length and keeps sums (int32) between them."""

    WHOLE = "whole"
    """`kernel(params, inputs..., output)`: any element may depend on any other."""


@dataclass(frozen=True)
class Window:
    """Which input rows an output row is made from: rows top .. top + (height - 1) * dilation with
    top = y * stride - pad_top.  Sizes in rows and bytes, for one image of `batches`."""

    batches: int
    input_rows: int
    output_rows: int
    height: int
    stride: int
    dilation: int
    pad_top: int
    input_row_bytes: int
    output_row_bytes: int


@dataclass(frozen=True, eq=False)
class Packed:
    """A step's constants for a kernel that reads them from outside flash.

    `params`: the members of its C struct, of which `weights` is the place in the weights file where
    `data` begins.
    """

    params: object
    data: bytes


_FAR_PIECES = {"dot_product": "dot_product_far"}
"""Pieces of emit/runtime that read weights themselves, and those for weights that lie far."""


@dataclass(frozen=True)
class Kernel:
    """One implementation of an operator (a variant): a C template and when it may be used.

    `requires` are features that the target must have; `when` looks at the node's params;
    `runtime` names the pieces of emit/runtime that the C text calls; `values` are more words for
    the template.  A pointwise kernel `is_in_place` when it reads each value before it writes the
    one at its place, so that a unit may be overwritten by its own output.
    """

    name: str
    template: Path
    form: Form
    requires: frozenset[str] = frozenset()
    when: Callable[[object], bool] = lambda _params: True
    runtime: tuple[str, ...] = ()
    is_in_place: bool = False
    in_rows: Kernel | None = None
    """The kernel of Form.ROWS that does the same work, for a stream that ends here."""
    values: Mapping[str, str | int] = field(default_factory=dict)
    pack: Callable[[Work], Packed] | None = None
    """What a kernel that `requires` external weights reads instead of tables in flash."""
    has_far_form: bool = False
    """Whether the template can read the params' `weights` by addresses of more than 16 bits."""
    is_far: bool = False
    """Whether it does."""

    @property
    def far_form(self) -> Kernel:
        """The same kernel for `weights` that lie beyond the reach of 16-bit addresses."""
        assert self.has_far_form
        return replace(
            self,
            name=f"{self.name}_far",
            runtime=tuple(_FAR_PIECES.get(piece, piece) for piece in self.runtime),
            in_rows=None if self.in_rows is None else self.in_rows.far_form,
            is_far=True,
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class Work:
    """What a node asks of a kernel.  `params` is a frozen dataclass whose fields are
    the members of the kernel's C struct; `inputs` are the activations it reads, by tensor index."""

    params: object
    inputs: tuple[int, ...]
    output: int
    units: int = 1
    """Form.POINTWISE: how many units the whole tensor has."""
    chunk: int = 1
    """Form.POINTWISE: units that a walk from the end takes at a time; divides `units`."""
    window: Window | None = None
    """Form.WINDOW: the rows; a kernel of another form leaves it out."""
    patch: int = 0
    """How many input values an output sees, for a kernel that copies or lists them side by side."""
    furthest: int = 0
    """Form.WINDOW: what the kernel counts to as it walks along a row, before or beyond its ends."""
    sums: int = 0
    """How many sums the node needs to take its input in pieces; 0 where it cannot."""
    macs: int = 0
    overflow: str = ""
    """Where a sum can leave int32, for some input: what a warning says; the code then wraps."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Step(Work):
    """One kernel call: a node's work and the kernel that was chosen for it."""

    node: Node
    kernel: Kernel
    external: bytes = b""
    """The constants that lie outside flash, the step's part of the weights file."""

    @property
    def tables(self) -> dict[str, Array]:
        """The constants that lie in flash, by the member of `params` that points to each."""
        assert is_dataclass(self.params)
        members = ((each.name, getattr(self.params, each.name)) for each in fields(self.params))
        return {name: value for name, value in members if isinstance(value, np.ndarray)}

    @property
    def constant_bytes(self) -> int:
        """Bytes of its tables."""
        return sum(values.nbytes for values in self.tables.values())


@dataclass(frozen=True, eq=False)
class Program:
    """Steps in the order in which they run.  `views` maps a tensor that is only another tensor's
    bytes under another shape to that tensor."""

    graph: Graph
    steps: tuple[Step, ...]
    views: Mapping[int, int]
    features: frozenset[str]

    @property
    def external(self) -> bytes:
        """The weights file: what the steps read from outside flash, one after another."""
        return b"".join(step.external for step in self.steps)

    @property
    def constant_bytes(self) -> int:
        """Bytes of all tables: weights, biases, multipliers and the like."""
        return sum(step.constant_bytes for step in self.steps)

    def storage(self, tensor: int) -> int:
        """The tensor whose bytes `tensor` is: itself, unless it is a view."""
        while tensor in self.views:
            tensor = self.views[tensor]
        return tensor
