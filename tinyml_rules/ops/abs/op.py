"""ABS of int8: what may be wrong with a node."""

from __future__ import annotations

from collections.abc import Iterator

from tinyml_rules.ir.graph import NodeView
from tinyml_rules.ops._shared import constraints
from tinyml_rules.ops._shared.pointwise import check_map


def check(view: NodeView) -> Iterator[str]:
    """int8 input and output of the same shape."""
    yield from check_map(view)
    yield from constraints.rescaling(view.input(0), view.output)
