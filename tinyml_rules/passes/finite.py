"""Finds float constants that are not finite: TFLM computes with them, but few are intended."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tinyml_rules.ir.graph import Graph, Node, NodeView, Tensor
from tinyml_rules.ir.text import node_numbers

Found = tuple[Node, Tensor]
TRAINING = "its training ended in NaN or infinity: take the model from before that"
"""The hint for such constants."""


def endless_constants(graph: Graph) -> list[Found]:
    """Constants with NaN or infinity, with each node that reads them."""
    return [
        (node, tensor)
        for node in graph.nodes
        for tensor in NodeView(graph, node).inputs
        if tensor is not None and not _is_finite(tensor)
    ]


def is_one_bound(tensor: Tensor) -> bool:
    """Whether it is a single infinity, as in paddings and bounds."""
    return tensor.data is not None and tensor.count == 1 and bool(np.isinf(tensor.data).all())


def endless_text(found: Sequence[Found]) -> str:
    """A text that names the first tensor, and the other nodes."""
    (node, tensor), *_ = found
    assert tensor.data is not None
    of_all = f"{int((~np.isfinite(tensor.data)).sum())} of {tensor.count}"
    others = sorted({each.index for each, _ in found} - {node.index})
    more = f"; the same: {node_numbers(others)}" if others else ""
    return f"constant tensor {tensor} has values that are no finite numbers ({of_all}){more}"


def _is_finite(tensor: Tensor) -> bool:
    data = tensor.data
    if data is None or data.dtype.kind != "f" or tensor.unread:
        return True
    return bool(np.isfinite(data).all())
