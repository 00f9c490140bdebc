"""Judge every node of a user's model and report all that is wrong with it at once."""

from __future__ import annotations

from collections.abc import Iterator

from tinyml_rules.errors import Problem, UnsupportedError
from tinyml_rules.ir.graph import DType, Graph, Node, NodeView
from tinyml_rules.ops import all_ops
from tinyml_rules.ops.constraints import operand_counts, quantized_activation

_FLOAT_HINT = "convert the model with full-integer int8 quantization"


def check(graph: Graph) -> Graph:
    """The same graph, if every node is one that this compiler does; UnsupportedError otherwise."""
    problems = [problem for node in graph.nodes for problem in _check_node(graph, node)]
    if not problems:
        problems = list(_check_ends(graph))
    if problems:
        raise UnsupportedError(problems)
    return graph


def _check_node(graph: Graph, node: Node) -> Iterator[Problem]:
    where = graph.where(node)
    op = all_ops().get(node.op)
    if op is None:
        yield Problem(where, "operator is not supported", "`tinyml_rules ops` lists those that are")
        return
    if node.version not in op.versions:
        newest = op.versions.stop - 1
        yield Problem(where, f"operator version {node.version}, expected at most {newest}")
        return
    view = NodeView(graph, node)
    texts = list(operand_counts(view, inputs=op.input_counts)) or list(op.check(view))
    is_float = any(tensor and tensor.dtype is DType.FLOAT32 for tensor in view.inputs)
    for text in texts:
        yield Problem(where, text, _FLOAT_HINT if is_float and "float32" in text else "")


def _check_ends(graph: Graph) -> Iterator[Problem]:
    """Inputs and outputs are int8, or float32 behind a conversion, which the operators checked."""
    for role, tensors in (("input", graph.inputs), ("output", graph.outputs)):
        for index in tensors:
            tensor = graph.tensors[index]
            if tensor.is_constant:
                yield Problem(graph.name, f"{role} tensor {tensor} is a constant")
            elif tensor.dtype is not DType.FLOAT32:
                for text in quantized_activation(tensor, role):
                    yield Problem(graph.name, text)
            elif not any(index in (*node.inputs, *node.outputs) for node in graph.nodes):
                yield Problem(
                    graph.name, f"{role} tensor {tensor} is float32, expected int8", _FLOAT_HINT
                )
