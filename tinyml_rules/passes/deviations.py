"""What of a node is not as the 8-bit specification has it, and is computed as in TFLM."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tinyml_rules.arithmetic.digits import texts_apart
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Graph, Node, NodeView, Tensor
from tinyml_rules.ops._shared.operator import Operators
from tinyml_rules.ops._shared.quantization import Weights

MOST_DIFFERENCE = 1e-5
"""Of a bias's scale, as a share of it: converters round the product in their own ways."""
_LEAST = -128
"""The int8 number that symmetric weights do without."""


def deviations(graph: Graph, operators: Operators) -> Iterator[tuple[Node, str]]:
    """The nodes of a graph that is right, each with the first thing that is not as specified."""
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
    """Weights are symmetric, and the bias has the scale of the products."""
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
    """int8 is quantized, where it is only moved, too."""
    for tensor in (*view.inputs, *view.outputs):
        if tensor is not None and tensor.dtype is DType.INT8 and tensor.quantization is None:
            yield f"tensor {tensor} is int8 without a scale and a zero point"
