"""A graph as text, for a person, and as plain data, for a program."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, is_dataclass
from typing import Any

from tinyml_rules.ir.graph import Graph, Node, NodeView, Tensor

MOST_NUMBERS = 8
"""Nodes, or runs of nodes, that a sentence names."""
SHORTEST_RUN = 4
"""Nodes in a row that are named by the first and the last."""


def graph_text(graph: Graph) -> str:
    """One line a node, with its operands' types, shapes and quantization."""
    return "\n".join(_lines(graph))


def counted(name: str, count: int) -> str:
    """`relu ×3`; a single one goes without a number."""
    return name if count == 1 else f"{name} ×{count}"


def node_numbers(nodes: Sequence[int]) -> str:
    """`node 4`, or `nodes 4, 9, 12 to 20`, the first of them where they are many."""
    if len(nodes) == 1:
        return f"node {nodes[0]}"
    runs: list[list[int]] = []
    for node in nodes:
        if runs and node == runs[-1][-1] + 1:
            runs[-1].append(node)
        else:
            runs.append([node])
    pieces: list[str] = []
    for run in runs:
        is_long = len(run) >= SHORTEST_RUN
        pieces += [f"{run[0]} to {run[-1]}"] if is_long else [str(node) for node in run]
    shown = ", ".join(pieces[:MOST_NUMBERS])
    return f"nodes {shown}" + (" and more" if len(pieces) > MOST_NUMBERS else "")


def operator_name(op: str) -> str:
    """The operator as TensorFlow spells it; a custom one has its own name."""
    return op if " " in op else op.upper()


def _lines(graph: Graph) -> Iterator[str]:
    yield f"{graph.name}: {len(graph.nodes)} nodes, {len(graph.tensors)} tensors"
    for role, tensors in (("input", graph.inputs), ("output", graph.outputs)):
        for index in tensors:
            yield f"{role} {_tensor_text(graph.tensors[index])}"
    for node in graph.nodes:
        view = NodeView(graph, node)
        yield f"node {node.index}: {node.op} (version {node.version}){_attrs_text(node)}"
        for tensor in view.inputs:
            yield f"  <- {_tensor_text(tensor) if tensor else 'left out'}"
        for tensor in view.outputs:
            yield f"  -> {_tensor_text(tensor)}"


def _attrs_text(node: Node) -> str:
    return "".join(f" {key}={value}" for key, value in _attrs(node).items())


def _attrs(node: Node) -> dict[str, Any]:
    attrs = node.attrs
    return asdict(attrs) if is_dataclass(attrs) and not isinstance(attrs, type) else {}


def _tensor_text(tensor: Tensor) -> str:
    text = f"{tensor} {tensor.dtype}{list(tensor.shape)}"
    quantization = tensor.quantization
    if quantization is None:
        return text + (" constant" if tensor.is_constant else "")
    if quantization.is_per_axis:
        text += f" {len(quantization.scales)} scales along axis {quantization.axis}"
    else:
        text += f" scale={quantization.scales[0]:.6g} zero_point={quantization.zero_points[0]}"
    return text + (" constant" if tensor.is_constant else "")


def graph_data(graph: Graph) -> dict[str, Any]:
    """The same as nested lists and dictionaries, constants' values left out."""
    return {
        "name": graph.name,
        "sha256": graph.sha256,
        "inputs": list(graph.inputs),
        "outputs": list(graph.outputs),
        "tensors": [_tensor_data(tensor) for tensor in graph.tensors],
        "nodes": [
            {
                "index": node.index,
                "op": node.op,
                "version": node.version,
                "inputs": list(node.inputs),
                "outputs": list(node.outputs),
                "attrs": _attrs(node),
            }
            for node in graph.nodes
        ],
    }


def _tensor_data(tensor: Tensor) -> dict[str, Any]:
    return {
        "index": tensor.index,
        "name": tensor.name,
        "shape": list(tensor.shape),
        "dtype": str(tensor.dtype),
        "is_constant": tensor.is_constant,
        "quantization": None if tensor.quantization is None else asdict(tensor.quantization),
    }
