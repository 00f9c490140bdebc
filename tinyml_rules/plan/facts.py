"""What a growing stream has to know of each step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial

import numpy as np

from tinyml_rules.ir.buffers import aligned
from tinyml_rules.ir.program import Program, Step
from tinyml_rules.ir.window import Reach
from tinyml_rules.plan.inside import takes_inside
from tinyml_rules.plan.reach import Counts, Turns, row_inputs, turns_of
from tinyml_rules.plan.state import SUM_BYTES
from tinyml_rules.plan.streams import Rows, rows_of, takes_pieces
from tinyml_rules.plan.strips import columns_of


@dataclass(frozen=True)
class Fact:
    """A single step: its stored tensors, its rows if it works row by row, and the bytes of scratch
    memory that it needs on whole tensors; every row reads all of the `shared` ones."""

    step: Step
    inputs: tuple[int, ...]
    shared: tuple[int, ...]
    outputs: tuple[int, ...]
    rows: Rows | None
    takes_pieces: bool
    takes_inside: bool
    """It can make its row where the row that it reads ends as well."""
    scratch_bytes: int
    kept_bytes: int
    """Those among them that it keeps from one row to the next."""
    alignment: int
    columns: Callable[[int | None], Reach | None]
    """Its pixels where it makes rows in pieces, by the pixels of a row that it reads."""
    places: int = 1
    """Steps of the program that it has: those of a group."""
    _turns: dict[int, Turns] = field(default_factory=dict, repr=False, compare=False)

    @property
    def output(self) -> int:
        """The buffer of the single output, which every step with rows has."""
        (buffer,) = self.outputs
        return buffer

    @property
    def sums_bytes(self) -> int:
        """Bytes of the sums that the step keeps if it ends a stream."""
        return SUM_BYTES * self.step.sums if self.takes_pieces else 0

    @property
    def row_scratch_bytes(self) -> int:
        """Bytes of scratch memory in which it takes turns with the other steps of a stream."""
        return 0 if self.takes_pieces else self.scratch_bytes - self.kept_bytes

    @cached_property
    def row_ends(self) -> Counts:
        """Where each of its rows ends in its output, in bytes; shape (rows,)."""
        assert self.rows is not None
        return np.arange(1, self.rows.output_rows + 1) * self.rows.output_row_bytes

    def turns(self, rows: int) -> Turns:
        """The rows that it needs of an input with so many rows."""
        if rows not in self._turns:
            self._turns[rows] = turns_of(self.step, rows, in_pieces=self.takes_pieces)
        return self._turns[rows]


def fact_of(step: Step, program: Program, *, places: int = 1) -> Fact:
    """The facts of a step that a growing stream needs."""
    inputs = tuple(program.buffer_of(tensor) for tensor in row_inputs(step))
    shared = tuple(program.buffer_of(tensor) for tensor in step.shared)
    outputs = tuple(program.buffer_of(tensor) for tensor in step.outputs)
    scratch = [(aligned(each.size_bytes, program.alignment), each) for each in step.scratch]
    return Fact(
        step,
        inputs,
        shared,
        outputs,
        rows=rows_of(step, program),
        takes_pieces=takes_pieces(step),
        takes_inside=takes_inside(step, program),
        scratch_bytes=sum(size_bytes for size_bytes, _ in scratch),
        kept_bytes=sum(size_bytes for size_bytes, each in scratch if each.is_kept),
        alignment=program.alignment,
        columns=partial(columns_of, step, program),
        places=places,
    )
