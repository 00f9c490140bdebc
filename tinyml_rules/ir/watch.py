"""What is read from memory while a model runs: the bytes of a tensor once a step has made them."""

from __future__ import annotations

from dataclasses import dataclass

from tinyml_rules.ir.graph import Tensor


@dataclass(frozen=True, eq=False)
class Watch:
    """A tensor, and the step after whose end its bytes are in memory.

    The step ends `first` + `rows` times an inference, and from the time `first` on each time with a
    row of `row_bytes`, in slot row % `capacity` from `offset` bytes after C symbol `symbol` on.  A
    tensor that is made at once is one row.
    """

    account: int
    """Of the step (ir/accounts.py), whose mark is at its end."""
    graph: int
    """The number of the tensor's graph in the file, 0 for the model itself."""
    tensor: Tensor
    """As the passes left it."""
    symbol: str
    offset: int
    row_bytes: int
    rows: int = 1
    capacity: int = 1
    first: int = 0
    channels: tuple[int, ...] = ()
    """The channels of the file's tensor that this one has, where it lacks some."""

    @property
    def ends(self) -> int:
        """How often the step ends until the tensor is there."""
        return self.first + self.rows

    @property
    def size_bytes(self) -> int:
        """Of the tensor."""
        return self.rows * self.row_bytes
