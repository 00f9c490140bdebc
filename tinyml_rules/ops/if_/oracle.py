"""IF in numpy: a branch by its operators' meanings."""

from __future__ import annotations

from collections.abc import Mapping

from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops.if_.op import Attrs


def oracle(view: NodeView, values: Mapping[int, Array]) -> tuple[Array, ...]:
    """Every output of the branch that runs."""
    run, attrs = view.run, view.node.attrs
    assert run is not None and isinstance(attrs, Attrs)
    holds, *rest = (values[tensor.index] for tensor in view.inputs if tensor is not None)
    taken = attrs.then_subgraph_index if holds.any() else attrs.else_subgraph_index
    return tuple(run(taken, rest))
