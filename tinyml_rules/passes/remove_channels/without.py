"""The graph without dead channels: shorter tensors, and weights and biases that fit them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Graph, Node, Tensor
from tinyml_rules.passes.remove_channels.dead import DeadChannels, Mask
from tinyml_rules.passes.remove_channels.linked import Linked


def without_channels(graph: Graph, found: DeadChannels) -> Graph:
    """The shorter graph.  Tensors keep their numbers; changed constants are new tensors, because
    other nodes may read the old ones."""
    tensors = list(graph.tensors)
    for index, dead in found.dead.items():
        tensor = tensors[index]
        shape = (*tensor.shape[:-1], int((~dead).sum()))
        tensors[index] = replace(tensor, shape=shape)
    nodes = []
    for node in graph.nodes:
        link = found.links.get(node.outputs[0]) if node.outputs else None
        nodes.append(node if link is None else _shorter(node, link, found, tensors))
    left = {index: tuple(np.flatnonzero(~dead).tolist()) for index, dead in found.dead.items()}
    return replace(graph, tensors=tuple(tensors), nodes=tuple(nodes), left_channels=left)


def _shorter(node: Node, link: Linked, found: DeadChannels, tensors: list[Tensor]) -> Node:
    """The node on shorter tensors; its new constants are appended."""
    inputs = list(node.inputs)
    changed: dict[int, Tensor] = {}
    before = found.dead.get(link.source)
    if before is not None and link.channels.weights is not None:
        changed[1] = _without_inputs(link.view.input(1), before)
        moved = link.sums @ np.where(before, found.distances[link.source], 0)
        if moved.any():
            changed[2] = _bias(link, moved)
    behind = found.dead.get(node.outputs[0])
    if behind is not None:
        for place, axis in link.channels.operands:
            operand = changed.get(place, link.view.optional_input(place))
            if operand is not None:
                changed[place] = _without_outputs(operand, behind, axis=axis)
    for place, tensor in changed.items():
        inputs += [None] * (place + 1 - len(inputs))
        inputs[place] = len(tensors)
        tensors.append(replace(tensor, index=len(tensors)))
    return replace(node, inputs=tuple(inputs))


def _without_inputs(weights: Tensor, dead: Mask) -> Tensor:
    """Weights [outputs]..[taps][channels] without dead channels; taps and channels may share the
    last dimension."""
    assert weights.data is not None
    by_channel = weights.data.reshape(*weights.shape[:-1], -1, len(dead))
    data = np.ascontiguousarray(by_channel[..., ~dead])
    data = data.reshape(*weights.shape[:-1], -1)
    return replace(weights, shape=data.shape, data=data)


def _bias(link: Linked, moved: npt.NDArray[np.int64]) -> Tensor:
    """The biases plus the constants' part of the sums; those of removed outputs can be any
    number."""
    bias = link.view.optional_input(2)
    data = (link.bias + moved).astype(np.int32)
    if bias is not None:
        return replace(bias, shape=data.shape, data=data)
    return Tensor(0, f"{link.view.input(1).name} bias", data.shape, DType.INT32, data=data)


def _without_outputs(operand: Tensor, dead: Mask, *, axis: int) -> Tensor:
    assert operand.data is not None
    data = operand.data.reshape(operand.shape if operand.data.ndim > axis else -1)
    data = np.ascontiguousarray(np.compress(~dead, data, axis=axis))
    quantization = operand.quantization
    if quantization is not None and quantization.is_per_axis:
        scales = tuple(np.compress(~dead, quantization.scales).tolist())
        points = quantization.zero_points
        if len(points) == len(dead):
            points = tuple(np.compress(~dead, points).tolist())
        quantization = replace(quantization, scales=scales, zero_points=points)
    return replace(operand, shape=data.shape, data=data, quantization=quantization)
