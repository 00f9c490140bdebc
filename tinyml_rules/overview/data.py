"""Overview -> plain data, for a program: everything but the values of constants."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from tinyml_rules.ir.graph import NodeView, Tensor
from tinyml_rules.overview.facts import NodeFacts, Overview, tensor_bytes
from tinyml_rules.overview.words import attrs_of, options_text


def overview_data(found: Overview) -> dict[str, Any]:
    """Nested lists and dictionaries; `macs` of a node is None if the operator is unknown."""
    graph = found.graph
    return {
        "name": graph.name,
        "sha256": graph.sha256,
        "file_bytes": found.file_bytes,
        "subgraphs": [
            {"name": each.title, "nodes": len(each.nodes)} for each in (graph, *graph.others)
        ],
        "inputs": list(graph.inputs),
        "outputs": list(graph.outputs),
        "parameters": found.parameters,
        "macs": found.macs,
        "has_all_macs": found.has_all_macs,
        "constant_bytes": found.constant_bytes,
        "largest_tensor": None if found.largest is None else found.largest.index,
        "is_supported": not found.problems,
        "problems": [
            {"where": each.where, "what": each.what, "hint": each.hint} for each in found.problems
        ],
        "warnings": [str(each) for each in found.cautions],
        "tensors": [_tensor_data(tensor) for tensor in graph.tensors],
        "nodes": [_node_data(found, each) for each in found.nodes],
    }


def _node_data(found: Overview, each: NodeFacts) -> dict[str, Any]:
    node = each.node
    return {
        "index": node.index,
        "op": node.op,
        "version": node.version,
        "inputs": list(node.inputs),
        "outputs": list(node.outputs),
        "attrs": attrs_of(node),
        "options": options_text(NodeView(found.graph, node)),
        "parameters": each.parameters,
        "constant_bytes": each.constant_bytes,
        "macs": each.macs,
        "is_supported": each.is_supported,
        "is_constant": each.is_constant,
        "constant_channels": each.trimmed.constant if each.trimmed else 0,
        "unused_channels": each.trimmed.unused if each.trimmed else 0,
        "sums": None if each.sums is None else list(each.sums),
    }


def _tensor_data(tensor: Tensor) -> dict[str, Any]:
    return {
        "index": tensor.index,
        "name": tensor.name,
        "shape": list(tensor.shape),
        "dtype": str(tensor.dtype),
        "bytes": tensor_bytes(tensor),
        "is_constant": tensor.is_constant,
        "is_variable": tensor.is_variable,
        "quantization": None if tensor.quantization is None else asdict(tensor.quantization),
    }
