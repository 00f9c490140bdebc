"""The bytes that a runner reads from memory while a model runs: those of a tensor after its
step."""

from __future__ import annotations

from dataclasses import dataclass

from tinyml_rules.ir.graph import Tensor


@dataclass(frozen=True, eq=False)
class Watch:
    """A tensor, and the step after whose end its bytes are in memory.

    The step ends `first` + `rows` times per inference; from time `first` on, each time it has made
    a row of `row_bytes`, in slot row % `capacity` from `offset` bytes after C symbol `symbol` on,
    with `gap_bytes` between two slots.
    A tensor that is made as a whole is one row.
    """

    account: int
    """Of the step (ir/accounts.py), whose mark is at its end."""
    graph: int
    """The number of the tensor's graph in the file, 0 for the model itself."""
    tensor: Tensor
    """As it is after the passes."""
    symbol: str
    offset: int
    row_bytes: int
    rows: int = 1
    capacity: int = 1
    gap_bytes: int = 0
    first: int = 0
    channels: tuple[int, ...] = ()
    """The channels of the file's tensor that still exist, if some were removed."""

    @property
    def ends(self) -> int:
        """How often the step ends until the tensor is complete."""
        return self.first + self.rows

    @property
    def size_bytes(self) -> int:
        """Of the tensor."""
        return self.rows * self.row_bytes
