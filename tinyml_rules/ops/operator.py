"""What an operator's folder offers to the compiler: the Op record."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tinyml_rules.flatbuffer import Table
from tinyml_rules.ir.graph import NodeView
from tinyml_rules.ir.program import Kernel, Step

Int8Array = npt.NDArray[np.int8]


@dataclass(frozen=True)
class Op:
    """One operator's whole story; every folder of `ops` exports one as `OP`.

    `parse` makes attrs of the options table (None where the file has none); `check` yields
    everything that is wrong with a node, as the text of an error; `select` prepares the params,
    picks the kernel and returns the step (None for a view, which has nothing to compute);
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
    select: Callable[[NodeView, frozenset[str]], Step | None]
    oracle: Callable[[NodeView, Mapping[int, Int8Array]], Int8Array]
    is_view: bool = False
    """The output is the first input's bytes under another shape: no kernel, no copy."""
    options_type: int = 0
    """The schema's number of the options table (union BuiltinOptions), 0 for none."""


def choose(kernels: tuple[Kernel, ...], params: object, features: frozenset[str]) -> Kernel:
    """The first kernel, best first, whose features the target has and which takes these params."""
    for kernel in kernels:
        if kernel.requires <= features and kernel.when(params):
            return kernel
    raise AssertionError("every operator has a portable kernel for each node that `check` accepts")
