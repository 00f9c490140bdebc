"""Folds a product or a sum with constants that follows a weighted sum into its weights and its
bias: what converters leave of batch normalization."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tinyml_rules.arithmetic.fixed_point import Activation
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Graph, Node, NodeView, Tensor
from tinyml_rules.ops._shared.operator import Operators
from tinyml_rules.ops._shared.quantization import Affine, Numbers, Weights
from tinyml_rules.passes.uses import Uses


def fold_affine(graph: Graph, operators: Operators) -> Graph:
    """The graph without those nodes; one node at a time, because chains of them are usual."""
    while True:
        found = next(
            (
                folded
                for node in graph.nodes
                if (folded := _folded(graph, node, operators)) is not None
            ),
            None,
        )
        if found is None:
            return graph
        graph = found


def _folded(graph: Graph, node: Node, operators: Operators) -> Graph | None:
    """The graph with the node's work done by the sum before it; None where that cannot be."""
    rule, view, uses = operators[node.op].quantization, NodeView(graph, node), Uses(graph)
    affine = None if rule is None else rule.affine(view)
    if affine is None:
        return None
    maker = _maker(graph, node.inputs[affine.source])
    if maker is None or not uses.is_read_once(maker):
        return None
    of_maker = operators[maker.op].quantization
    weights = None if of_maker is None else of_maker.weights
    if weights is None or getattr(maker.attrs, "activation", None) != Activation.NONE:
        return None
    if graph.tensors[maker.outputs[0]].shape != view.output.shape:
        return None
    return _with_weights(graph, maker, node, weights, affine)


def _maker(graph: Graph, index: int | None) -> Node | None:
    return next((node for node in graph.nodes if index in node.outputs), None)


def _with_weights(
    graph: Graph, maker: Node, node: Node, weights: Weights, affine: Affine
) -> Graph | None:
    """The sum with other constants, the node's clamp and the node's output."""
    view = NodeView(graph, maker)
    filters, bias = view.input(weights.weights), view.optional_input(weights.bias)
    if bias is None or not (_is_plain(filters) and _is_plain(bias)):
        return None
    assert filters.data is not None and bias.data is not None
    channels = filters.shape[weights.axis]
    factor, term = _of_channels(affine.factor, channels), _of_channels(affine.term, channels)
    if factor is None or term is None:
        return None
    along = [1] * len(filters.shape)
    along[weights.axis] = channels
    wanted = {
        filters.index: filters.data.astype(np.float64) * factor.reshape(along),
        bias.index: bias.data.astype(np.float64) * factor + term,
    }
    with np.errstate(over="ignore"):
        changed = {index: values.astype(np.float32) for index, values in wanted.items()}
    if not all(np.isfinite(values).all() for values in changed.values()):
        return None
    tensors = tuple(
        replace(each, data=changed[each.index]) if each.index in changed else each
        for each in graph.tensors
    )
    activation = getattr(node.attrs, "activation", Activation.NONE)
    attrs = replace(maker.attrs, activation=activation)  # type: ignore[type-var]
    merged = replace(maker, attrs=attrs, outputs=node.outputs)
    kept = [merged if each is maker else each for each in graph.nodes if each is not node]
    return replace(graph, tensors=tensors, nodes=tuple(kept))


def _is_plain(tensor: Tensor) -> bool:
    return tensor.is_constant and tensor.dtype is DType.FLOAT32


def _of_channels(values: Numbers, channels: int) -> Numbers | None:
    """A number an output channel; None where it is not the channels alone that differ."""
    if values.size == 1:
        return np.full(channels, values.reshape(-1)[0])
    if values.size == channels and values.shape[-1:] == (channels,):
        return values.reshape(-1)
    return None
