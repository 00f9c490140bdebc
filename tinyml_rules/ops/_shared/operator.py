"""What an operator's folder offers to the compiler: the Op record."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tinyml_rules.ir.graph import NodeView
from tinyml_rules.ir.program import Kernel, Work
from tinyml_rules.model_file.flatbuffer import Table

Int8Array = npt.NDArray[np.int8]


@dataclass(frozen=True)
class Op:
    """One operator's whole story; every folder of `ops` exports one as `OP`.

    `parse` makes attrs of the options table (None where the file has none); `check` yields
    everything that is wrong with a node, as the text of an error; `prepare` does all
    arithmetic that does not depend on the input, and is None for a view;
    `oracle` is the operator's meaning in numpy: activations in, the output out, both int8.
    """

    name: str
    builtin_code: int
    versions: range
    input_counts: range
    """How many inputs a node may have; those below the range's start may not be left out."""
    summary: str
    """Types and options, one line for the table of operators."""
    kernels: tuple[Kernel, ...]
    parse: Callable[[Table | None], object]
    check: Callable[[NodeView], Iterator[str]]
    prepare: Callable[[NodeView], Work] | None
    oracle: Callable[[NodeView, Mapping[int, Int8Array]], Int8Array]
    macs: Callable[[NodeView], int] | None = None
    """Multiply-accumulates, from shapes alone, of an operator that has any."""
    options_type: int = 0
    """The schema's number of the options table (union BuiltinOptions), 0 for none."""


@dataclass(frozen=True, eq=False)
class Operators(Mapping[str, Op]):
    """The operators that a compilation knows: by name, and by the schema's BuiltinOperator."""

    by_name: Mapping[str, Op]
    by_code: Mapping[int, Op]

    @classmethod
    def of(cls, ops: Iterable[Op]) -> Operators:
        """From the records, in their order."""
        by_name = {op.name: op for op in ops}
        return cls(by_name, {op.builtin_code: op for op in by_name.values()})

    def __getitem__(self, name: str) -> Op:
        return self.by_name[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.by_name)

    def __len__(self) -> int:
        return len(self.by_name)

    def of_code(self, code: int) -> Op | None:
        """The operator of a number in the file, if it is known."""
        return self.by_code.get(code)

    def is_known(self, name: str) -> bool:
        """Whether there is an operator of this name."""
        return name in self.by_name
