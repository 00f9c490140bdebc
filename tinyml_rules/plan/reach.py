"""The input rows that each turn of a step needs, computed once for every distinct window."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt

from tinyml_rules.ir.program import Form, Step
from tinyml_rules.ir.window import Reach

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Turns:
    """By turn, shape (turns,): `needed` counts the input rows that have to be there before a turn,
    `oldest` is the first row that this turn or a later one reads; `oldest` has one more element,
    the number of rows, for the time after the last read.  `span` is the most rows that a turn reads
    from the first to the last, at least 1: a ring of so many rows is enough for a step that reads
    nothing else.
    """

    needed: Counts
    oldest: Counts
    span: int

    @property
    def count(self) -> int:
        return len(self.needed)

    @cached_property
    def counts(self) -> Counts:
        """The input rows that have to be there after so many turns, none at first; shape (turns +
        1,)."""
        return np.append(0, self.needed)


def row_inputs(step: Step) -> tuple[int, ...]:
    """The inputs that a stream gives a step row by row: all but those that it keeps, and those that
    every row shares."""
    return tuple(index for index in step.inputs if index not in (*step.kept, *step.shared))


def turns_of(step: Step, rows: int, *, in_pieces: bool = False) -> Turns:
    """The rows that a step needs of an input with so many; `in_pieces`: it takes one at a time."""
    if in_pieces or step.window is None or step.kernel.form is not Form.WINDOW:
        return _turns_of_pieces(rows)
    return _turns_of_rows(step.window.rows)


@lru_cache(maxsize=4096)
def _turns_of_pieces(rows: int) -> Turns:
    """One row after the other."""
    return Turns(np.arange(1, rows + 1), np.arange(rows + 1), 1)


@lru_cache(maxsize=4096)
def _turns_of_rows(rows: Reach) -> Turns:
    first = np.array([min(rows.first(y), rows.inputs) for y in range(rows.outputs)])
    needed = np.array([max(rows.end(y), 0) for y in range(rows.outputs)])
    span = max(int((needed - first).max()), 1)
    return Turns(needed, np.append(first, rows.inputs), span)
