"""The rules that every Graph keeps between passes; breaking one is our own mistake."""

from __future__ import annotations

from tinyml_rules.ir.graph import Graph


def verify_graph(graph: Graph) -> None:
    """Assert that tensors are numbered by position, and written once, before they are read."""
    for position, tensor in enumerate(graph.tensors):
        assert tensor.index == position, f"tensor {tensor} stands at {position}"
        assert tensor.data is None or tensor.unread or tensor.data.shape == tensor.shape
    written = {tensor.index for tensor in graph.tensors if tensor.is_constant}
    assert not written.intersection(graph.inputs), "an input is a constant"
    written.update(graph.inputs)
    written.update(tensor.index for tensor in graph.tensors if tensor.is_variable)
    for node in graph.nodes:
        for source in node.inputs:
            assert source is None or source in written, f"node {node.index} reads #{source} early"
        for result in node.outputs:
            assert result not in written, f"node {node.index} writes #{result} again"
            written.add(result)
    assert written.issuperset(graph.outputs), "an output is never written"
