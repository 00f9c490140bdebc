"""Replaces resource variables by tensors that keep their values.

A file names a variable by a handle: VAR_HANDLE makes one, READ_VARIABLE and ASSIGN_VARIABLE take
it.  Afterwards each variable is a tensor of the graph, without handles.  A constant that
CALL_ONCE's graph assigns is the variable's initial value.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tinyml_rules.ir.graph import Array, Graph, Node, NodeView, Tensor
from tinyml_rules.ops._shared.operator import Handling, Operators

Key = tuple[str, str]
"""Container and name of a variable."""


def resolve_variables(graph: Graph, operators: Operators) -> Graph:
    """The graph without handles; invalid uses stay, for `check` to report."""
    if not any(_handling(node, operators) for node in graph.nodes):
        return graph
    keys = dict(_handles(graph, operators))
    tensors = list(graph.tensors)
    variables = {}
    for key in dict.fromkeys(keys.values()):
        value = _value(graph, key, keys, operators)
        if value is not None:
            variable = replace(
                value,
                index=len(tensors),
                name=key[1],
                data=None,
                is_variable=True,
                initial=_initial(graph, key, value, operators),
            )
            tensors.append(variable)
            variables[key] = variable.index
    nodes = (_resolved(graph, node, keys, variables, operators) for node in graph.nodes)
    kept = tuple(node for node in nodes if node is not None)
    return replace(graph, tensors=tuple(tensors), nodes=kept)


def _handling(node: Node, operators: Operators) -> Handling | None:
    op = operators.get(node.op)
    return None if op is None else op.handling


def _handles(graph: Graph, operators: Operators) -> Iterator[tuple[int, Key]]:
    """The tensors that are handles."""
    for node in graph.nodes:
        if _handling(node, operators) is Handling.NAMES and len(node.outputs) == 1:
            container = str(getattr(node.attrs, "container", ""))
            yield node.outputs[0], (container, str(getattr(node.attrs, "shared_name", "")))


def _uses(
    graph: Graph, key: Key, keys: dict[int, Key], operators: Operators
) -> Iterator[tuple[Handling, Tensor]]:
    """The tensors read from a variable, and those assigned to it, in order."""
    for node in graph.nodes:
        handling = _handling(node, operators)
        first = node.inputs[0] if node.inputs else None
        if handling is None or first is None or keys.get(first) != key:
            continue
        if handling is Handling.READS and node.outputs:
            yield handling, graph.tensors[node.outputs[0]]
        elif handling is Handling.ASSIGNS and len(node.inputs) == 2:
            value = node.inputs[1]
            if value is not None:
                yield handling, graph.tensors[value]


def _value(graph: Graph, key: Key, keys: dict[int, Key], operators: Operators) -> Tensor | None:
    """A tensor of the variable's type and shape; None if nothing uses it."""
    return next((tensor for _, tensor in _uses(graph, key, keys, operators)), None)


def _initial(graph: Graph, key: Key, value: Tensor, operators: Operators) -> Array | None:
    """The constant that the graphs that run once assign to it."""
    found = None
    for node in graph.nodes:
        if _handling(node, operators) is Handling.STARTS:
            for other in _started(graph, node, operators):
                inner = dict(_handles(other, operators))
                for handling, tensor in _uses(other, key, inner, operators):
                    fits = (tensor.shape, tensor.dtype) == (value.shape, value.dtype)
                    if handling is Handling.ASSIGNS and fits and tensor.data is not None:
                        found = tensor.data
    return found


def _started(graph: Graph, node: Node, operators: Operators) -> Iterator[Graph]:
    for number in operators[node.op].calls(NodeView(graph, node)):
        if 1 <= number <= len(graph.others):
            yield graph.others[number - 1]


def _resolved(
    graph: Graph,
    node: Node,
    keys: dict[int, Key],
    variables: dict[Key, int],
    operators: Operators,
) -> Node | None:
    """The node with the variable instead of its handle; None for one that is no longer needed."""
    handling = _handling(node, operators)
    if handling is Handling.NAMES and all(keys.get(each) in variables for each in node.outputs):
        return None
    if handling is Handling.STARTS and _is_done(graph, node, keys, operators):
        return None
    if handling in (Handling.READS, Handling.ASSIGNS) and node.inputs:
        first = node.inputs[0]
        key = None if first is None else keys.get(first)
        if key in variables:
            return replace(node, inputs=(variables[key], *node.inputs[1:]))
    return node


def _is_done(graph: Graph, node: Node, keys: dict[int, Key], operators: Operators) -> bool:
    """Whether the graphs that run once only assign constants to variables, like what is read."""
    started = list(_started(graph, node, operators))
    return bool(started) and all(
        _only_assigns(other, operators) and _assigns_alike(graph, other, keys, operators)
        for other in started
    )


def _assigns_alike(graph: Graph, other: Graph, keys: dict[int, Key], operators: Operators) -> bool:
    """Whether a graph assigns values of the variables' types and shapes."""
    inner = dict(_handles(other, operators))
    for key in dict.fromkeys(inner.values()):
        value = _value(graph, key, keys, operators)
        for _, tensor in _uses(other, key, inner, operators):
            if value is not None and (tensor.shape, tensor.dtype) != (value.shape, value.dtype):
                return False
    return True


def _only_assigns(graph: Graph, operators: Operators) -> bool:
    for node in graph.nodes:
        handling = _handling(node, operators)
        if handling is Handling.NAMES:
            continue
        value = node.inputs[1] if len(node.inputs) == 2 else None
        is_constant = value is not None and graph.tensors[value].is_constant
        if handling is not Handling.ASSIGNS or not is_constant:
            return False
    return not graph.inputs and not graph.outputs
