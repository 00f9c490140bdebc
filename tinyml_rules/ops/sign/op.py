"""SIGN of integers: what may be wrong with a node."""

from __future__ import annotations

from collections.abc import Iterator

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import NodeView
from tinyml_rules.ops._shared import constraints
from tinyml_rules.ops._shared.operator import Meaning
from tinyml_rules.ops.sign.oracle import oracle


def check(view: NodeView) -> Iterator[str]:
    """int32 input and output of the same shape."""
    source, result = view.input(0), view.output
    yield from constraints.plain(source, "input", DType.FLOAT32, DType.INT32)
    yield from constraints.plain(result, "output", DType.INT32)
    yield from constraints.shaped(result, source.shape)


def of_integers() -> Meaning:
    """SIGN of int32."""
    return Meaning(check=check, oracle=oracle)
