"""Constants that are no finite numbers: what came of them would be an error of every sample, or a
scale that has no end."""

from __future__ import annotations

import numpy as np

from tinyml_rules.errors import Problem, UnsupportedError
from tinyml_rules.ir.graph import Graph, NodeView, Tensor
from tinyml_rules.ir.text import node_numbers


def check_finite(graph: Graph) -> None:
    """Raise UnsupportedError that names the first node with such a constant, and the others."""
    found = [
        (node, tensor)
        for node in graph.nodes
        for tensor in NodeView(graph, node).inputs
        if tensor is not None and not _is_finite(tensor)
    ]
    if found:
        (node, tensor), *_ = found
        assert tensor.data is not None
        count = int((~np.isfinite(tensor.data)).sum())
        of_all = f"{count} of {tensor.count}"
        what = f"constant tensor {tensor} has values that are no finite numbers ({of_all})"
        others = sorted({each.index for each, _ in found} - {node.index})
        more = f"; the same: {node_numbers(others)}" if others else ""
        hint = "its training ended in NaN or infinity: take the model from before that"
        raise UnsupportedError([Problem(graph.where(node), f"{what}{more}", hint)])


def _is_finite(tensor: Tensor) -> bool:
    data = tensor.data
    if data is None or data.dtype.kind != "f" or tensor.unread:
        return True
    return bool(np.isfinite(data).all())
