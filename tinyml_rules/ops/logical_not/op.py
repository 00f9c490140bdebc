"""LOGICAL_NOT: what may be wrong with a node."""

from __future__ import annotations

from collections.abc import Iterator

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import NodeView
from tinyml_rules.ops._shared import constraints


def check(view: NodeView) -> Iterator[str]:
    """bool input and output of the same shape."""
    source, result = view.input(0), view.output
    yield from constraints.plain(source, "input", DType.BOOL)
    yield from constraints.plain(result, "output", DType.BOOL)
    yield from constraints.shaped(result, source.shape)
