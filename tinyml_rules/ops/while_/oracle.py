"""WHILE in numpy: the graphs by their operators' meanings, turn after turn."""

from __future__ import annotations

from collections.abc import Mapping

from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops.while_.op import Attrs

MOST_TURNS = 100_000
"""Of a loop that ends in tests."""


def oracle(view: NodeView, values: Mapping[int, Array]) -> tuple[Array, ...]:
    """Every output: the loop variables once the condition does not hold."""
    run, attrs = view.run, view.node.attrs
    assert run is not None and isinstance(attrs, Attrs)
    current = [values[tensor.index] for tensor in view.inputs if tensor is not None]
    for _ in range(MOST_TURNS):
        (holds,) = run(attrs.cond_subgraph_index, current)
        if not bool(holds.reshape(-1)[0]):
            return tuple(current)
        current = list(run(attrs.body_subgraph_index, current))
    raise AssertionError("the loop does not end")
