"""Plan -> Plan in which the rounds of a loop have the same weights and biases."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace

from tinyml_rules.ir.graph import Node, NodeView, Tensor
from tinyml_rules.quantizer.plan import Plan


def with_shared_weights(plan: Plan) -> Plan:
    """Of nodes whose weights are one tensor of a loop's body, those whose operands have the same
    quantizations read the same constants, which then have one scale a channel and one bias."""
    seen: dict[Hashable, tuple[Tensor, Tensor]] = {}
    nodes = []
    for node in plan.graph.nodes:
        places = plan.weights(node)
        view = NodeView(plan.graph, node)
        if places is None or not view.input(places.weights).origin:
            nodes.append(node)
            continue
        mine = view.input(places.weights), view.input(places.bias)
        first = seen.setdefault(_key(plan, node, mine), mine)
        inputs = list(node.inputs)
        inputs[places.weights], inputs[places.bias] = (each.index for each in first)
        nodes.append(replace(node, inputs=tuple(inputs)))
    return replace(plan, graph=replace(plan.graph, nodes=tuple(nodes)))


def _key(plan: Plan, node: Node, constants: tuple[Tensor, Tensor]) -> Hashable:
    """What has to be the same for two nodes to have the same constants."""
    places = plan.weights(node)
    assert places is not None
    source = node.inputs[places.source]
    groups = tuple(plan.group[index] for index in (source, node.outputs[0]) if index is not None)
    values = tuple(
        (each.origin, each.data.tobytes()) for each in constants if each.data is not None
    )
    return values, groups, node.index in plan.in_int16
