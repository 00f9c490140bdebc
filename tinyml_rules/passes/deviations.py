"""Deviations of a node from the 8-bit specification, with which it is computed as in TFLM."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tinyml_rules.arithmetic.digits import texts_apart
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Graph, Node, NodeView, Tensor
from tinyml_rules.ops._shared.operator import Operators
from tinyml_rules.ops._shared.quantization import Weights

MOST_DIFFERENCE = 1e-5
"""Relative difference of a bias's scale that is accepted: converters round the product
differently."""
_LEAST = -128
"""The int8 number that symmetric weights do not use."""


def deviations(graph: Graph, operators: Operators) -> Iterator[tuple[Node, str]]:
    """The nodes of a valid graph that deviate, each with its first deviation."""
    for node in graph.nodes:
        view = NodeView(graph, node)
        rule = operators[node.op].quantization
        found: list[str] = []
        if rule is not None and rule.weights is not None:
            found = list(_of_weighted(view, rule.weights))
        elif rule is not None and rule.passes_clamps:
            found = list(_without_scale(view))
        if found:
            yield node, found[0]


def _of_weighted(view: NodeView, places: Weights) -> Iterator[str]:
    """Weights that are not symmetric, and a bias without the scale of the products."""
    source, weights = view.input(places.source), view.input(places.weights)
    if source.dtype is not DType.INT8 or weights.dtype is not DType.INT8:
        return
    if weights.quantization is not None and any(weights.quantization.zero_points):
        yield f"weights tensor {weights} has a zero point that is not 0"
    if weights.data is not None and bool((weights.data == _LEAST).any()):
        yield f"weights tensor {weights} has {_LEAST}, expected values from {_LEAST + 1} to 127"
    bias = view.optional_input(places.bias)
    if bias is not None and bias.quantization is not None:
        yield from _of_bias(bias, source, weights)


def _of_bias(bias: Tensor, source: Tensor, weights: Tensor) -> Iterator[str]:
    """A bias of zeros is the same at any scale."""
    assert bias.quantization is not None and weights.quantization is not None
    if bias.data is None or not bias.data.any():
        return
    found = np.array(bias.quantization.scales)
    products = source.scale * np.array(weights.quantization.scales)
    if found.size not in (1, products.size):
        return
    for one, product in np.broadcast(found, products):
        if abs(one - product) > MOST_DIFFERENCE * product:
            scale, expected = texts_apart(float(one), float(product))
            yield (
                f"bias tensor {bias} has scale {scale}, expected {expected}, that of the input "
                "times that of the weights"
            )
            return


def _without_scale(view: NodeView) -> Iterator[str]:
    """int8 tensors without quantization, also where values are only moved."""
    for tensor in (*view.inputs, *view.outputs):
        if tensor is not None and tensor.dtype is DType.INT8 and tensor.quantization is None:
            yield f"tensor {tensor} is int8 without a scale and a zero point"
