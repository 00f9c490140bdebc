"""Fuses a separate clamp, such as RELU, into the operator that makes the values, across operators
that only move or choose them: values that are cut off then take no part of the quantized range."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from tinyml_rules.arithmetic.fixed_point import Activation
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Graph, Node, NodeView, Tensor
from tinyml_rules.ops._shared.activated import plain_bounds
from tinyml_rules.ops._shared.operator import Operators
from tinyml_rules.passes.uses import Uses

_BOTH: Mapping[tuple[int, int], Activation] = {
    **{(Activation.NONE, each): each for each in Activation},
    **{(each, each): each for each in Activation},
    (Activation.RELU, Activation.RELU6): Activation.RELU6,
    (Activation.RELU6, Activation.RELU): Activation.RELU6,
}
"""The clamp that is equal to one clamp followed by another."""


def fuse_clamps(graph: Graph, operators: Operators) -> Graph:
    """The graph without the clamps that another operator does."""
    for node in graph.nodes:
        current = next((each for each in graph.nodes if each.index == node.index), None)
        fused = None if current is None else _fused(graph, current, operators)
        graph = graph if fused is None else fused
    return graph


def _fused(graph: Graph, node: Node, operators: Operators) -> Graph | None:
    rule = operators[node.op].quantization
    if rule is None or rule.clamp is None:
        return None
    passed: list[Node] = []
    uses, reader = Uses(graph), node
    while True:
        maker = uses.maker_of_input(reader)
        if maker is None or len(maker.outputs) != 1 or not uses.is_read_once(maker):
            return None
        of_maker = operators[maker.op].quantization
        if of_maker is None:
            return None
        attrs = _with_clamp(maker, rule.clamp)
        if attrs is not None and not of_maker.passes_clamps:
            clamped = replace(maker, attrs=attrs)
            return _joined(graph, (node, maker, clamped), passed, rule.clamp)
        others = [
            each
            for each in NodeView(graph, maker).inputs[1:]
            if each is not None and not each.is_constant and each.dtype is DType.FLOAT32
        ]
        if not of_maker.passes_clamps or others:
            return None
        passed.append(maker)
        reader = maker


def _with_clamp(node: Node, clamp: Activation) -> object | None:
    """The options of the node with the clamp after its own; None if they cannot express it."""
    activation = getattr(node.attrs, "activation", None)
    both = None if activation is None else _BOTH.get((activation, clamp))
    return None if both is None else replace(node.attrs, activation=both)  # type: ignore[type-var]


def _joined(
    graph: Graph, ends: tuple[Node, Node, Node], passed: list[Node], clamp: Activation
) -> Graph:
    """The graph without the first of `ends`, whose readers read what it read, and with the third in
    the place of the second; what operators in between add is clamped too."""
    node, maker, clamped = ends
    (before,), (after,) = (node.inputs, node.outputs)
    last = passed[0] if passed else maker
    renamed = replace(passed[0] if passed else clamped, outputs=(after,))
    nodes = []
    for each in graph.nodes:
        if each is node:
            continue
        if each is last:
            nodes.append(renamed)
        else:
            nodes.append(clamped if each is maker else each)
    constants = {index for each in passed for index in each.inputs[1:] if index is not None}
    assert before == last.outputs[0]
    tensors = tuple(
        _cut(each, clamp) if each.index in constants else each for each in graph.tensors
    )
    return replace(graph, nodes=tuple(nodes), tensors=tensors)


def _cut(tensor: Tensor, clamp: Activation) -> Tensor:
    if tensor.data is None or tensor.dtype is not DType.FLOAT32:
        return tensor
    least, most = plain_bounds(clamp, DType.FLOAT32)
    return replace(tensor, data=np.clip(tensor.data, np.float32(least), np.float32(most)))
