"""Scheme -> schemes in which layers have weights of four bits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tinyml_rules.ir.graph import Node, NodeView
from tinyml_rules.quantizer.calibrate import Show, Values
from tinyml_rules.quantizer.correct_bias import bias_of
from tinyml_rules.quantizer.plan import Plan
from tinyml_rules.quantizer.round_in_order import Rounded, rounded_in_order
from tinyml_rules.quantizer.scheme import Scheme

BITS = 4
MOST_VALUES = 2**18
"""Most products of a sum of such weights: with them no sum leaves int32 whose bias is safe."""


@dataclass(frozen=True, eq=False)
class NarrowLayer:
    """A weights' tensor, the nodes that have it, of which there are several in a loop, and its
    values in four bits."""

    weights: int
    nodes: tuple[Node, ...]
    rounded: Rounded


def narrow_layers(
    plan: Plan, scheme: Scheme, samples: Sequence[Values], show: Show
) -> Iterator[NarrowLayer]:
    """All layers whose operator takes such weights, in the order of their nodes."""
    for weights, nodes in _nodes_by_weights(plan).items():
        if all(_takes(plan, node) for node in nodes):
            show(f"int4: node {nodes[0].index}, weights by weights")
            rounded = rounded_in_order(plan, scheme, nodes, samples, bits=BITS)
            yield NarrowLayer(weights, tuple(nodes), rounded)


def _nodes_by_weights(plan: Plan) -> Mapping[int, list[Node]]:
    found: dict[int, list[Node]] = {}
    for node in plan.weighted:
        places = plan.weights(node)
        assert places is not None
        index = node.inputs[places.weights]
        assert index is not None
        found.setdefault(index, []).append(node)
    return found


def _takes(plan: Plan, node: Node) -> bool:
    places = plan.weights(node)
    assert places is not None
    weights = NodeView(plan.graph, node).input(places.weights)
    products = weights.count // weights.shape[places.axis]
    has_form = places.int4_version > 0 and places.seen is not None
    return has_form and node.index not in plan.in_int16 and products <= MOST_VALUES


def narrowed(plan: Plan, scheme: Scheme, layers: Sequence[NarrowLayer]) -> Scheme:
    """The scheme with these layers in four bits, and biases that take away what rounding adds to
    the mean of each channel; a bias of several nodes gets the mean of what each of them needs."""
    weights, filters, biases = dict(scheme.weights), dict(scheme.filters), dict(scheme.biases)
    uses = Counter(bias_of(plan, node) for node in plan.weighted)
    for layer in layers:
        weights[layer.weights] = layer.rounded.scales
        filters[layer.weights] = layer.rounded.integers
        for node in layer.nodes:
            bias = bias_of(plan, node)
            biases[bias] = biases[bias] + layer.rounded.shift / uses[bias]
    int4 = scheme.int4 | {layer.weights for layer in layers}
    return replace(scheme, weights=weights, filters=filters, biases=biases, int4=int4)
