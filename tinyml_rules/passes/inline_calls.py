"""A sub-graph that runs a known number of times is replaced by its nodes.

That is a branch on a constant, or a loop whose number of iterations is constant: a loop only if it
has few iterations, or if about as few nodes are left of all iterations as the loop has.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tinyml_rules.ir.graph import Array, Graph, Node, NodeView, Tensor
from tinyml_rules.ops._shared.constraints import operand_counts
from tinyml_rules.ops._shared.operator import Operators
from tinyml_rules.passes.calls import CallError, called_graphs, calls_of
from tinyml_rules.passes.fold_constants import fold_constants
from tinyml_rules.passes.remove_dead_nodes import remove_dead_nodes

FEW_RUNS = 2
"""Iterations that are always inlined: no copies in and out, no function."""
NODES_OF_A_CALL = 2
"""The cost of a call with its copies in and out, in nodes."""
MOST_NODES = 4096
"""Limit of the nodes that replace one node."""


def inline_calls(graph: Graph, operators: Operators, *, is_always: bool = False) -> Graph:
    """The graph with those nodes in place of calls, and so each graph that it still runs;
    `is_always`: however many nodes there are then, up to `MOST_NODES`."""
    try:
        numbers = called_graphs(graph, operators)
    except CallError:  # for `check` to say
        return graph
    for number in numbers:
        other = replace(_inlined(graph.other(number), operators, is_always), others=())
        others = (*graph.others[: number - 1], other, *graph.others[number:])
        graph = replace(graph, others=others)
    return _inlined(graph, operators, is_always)


def _inlined(graph: Graph, operators: Operators, is_always: bool) -> Graph:
    callers = [node.index for node in graph.nodes if calls_of(graph, node, operators)]
    for index in callers:
        graph = _without_call(graph, index, operators, is_always)
    return graph


def _without_call(graph: Graph, index: int, operators: Operators, is_always: bool) -> Graph:
    """The graph without the call of a node, if that is known, possible and worth it, or wanted."""
    node = next((each for each in graph.nodes if each.index == index), None)
    numbers = None if node is None else _course(graph, node, operators)
    if node is None or numbers is None:
        return graph
    if sum(len(graph.other(number).nodes) for number in numbers) > MOST_NODES:
        return graph
    spliced = _spliced(graph, node, numbers)
    if spliced is None:
        return graph
    found = remove_dead_nodes(fold_constants(spliced, operators), operators)
    runs = set(calls_of(graph, node, operators))
    called = sum(len(graph.other(number).nodes) for number in runs)
    more = len(found.nodes) - (len(graph.nodes) - 1)
    is_worth = is_always or len(numbers) <= FEW_RUNS or more <= called + NODES_OF_A_CALL
    return found if is_worth else graph


def _course(graph: Graph, node: Node, operators: Operators) -> Sequence[int] | None:
    """The sub-graphs that a node runs one after the other, if the node is valid."""
    op, view = operators.get(node.op), NodeView(graph, node)
    if op is None or not op.calls(view):
        return None
    counts = operand_counts(view)
    if any(counts) or op.problems(view):
        return None

    def fold(number: int, values: Sequence[Array | None]) -> list[Array | None]:
        found = fold_constants(_given(graph.other(number), values), operators)
        return [_values(found.tensors[index]) for index in found.outputs]

    return op.course(view, fold)


def _given(graph: Graph, values: Sequence[Array | None]) -> Graph:
    """The graph with constants for some of its inputs."""
    tensors = list(graph.tensors)
    for index, value in zip(graph.inputs, values, strict=True):
        if value is not None and value.shape == tensors[index].shape:
            tensors[index] = replace(tensors[index], data=value)
    return replace(graph, tensors=tuple(tensors))


def _values(tensor: Tensor) -> Array | None:
    return None if tensor.unread else tensor.data


def _spliced(graph: Graph, node: Node, numbers: Sequence[int]) -> Graph | None:
    """The nodes of sub-graphs in place of the one that runs them; None if a tensor would get
    another quantization, which would change the results."""
    tensors, nodes = list(graph.tensors), list[Node]()
    inputs = [index for index in node.inputs if index is not None]
    values = inputs[len(inputs) - _input_count(graph, numbers, len(node.outputs)) :]
    free = 1 + max(each.index for each in graph.nodes)
    for number in numbers:
        other = graph.other(number)
        given = zip(values, other.inputs, strict=True)
        if not all(_are_alike(tensors[each], other.tensors[index]) for each, index in given):
            return None
        places = dict(zip(other.inputs, values, strict=True))
        for tensor in other.tensors:
            if tensor.index not in places:
                places[tensor.index] = len(tensors)
                origin = tensor.origin or f"{other.name}: tensor {tensor}"
                tensors.append(replace(tensor, index=len(tensors), origin=origin))
        for each in other.nodes:
            moved = replace(_renamed(each, places), index=free, origin=other.where(each))
            nodes.append(moved)
            free += 1
        values = [places[index] for index in other.outputs]
    return _connected(graph, node, nodes, tensors, values)


def _input_count(graph: Graph, numbers: Sequence[int], output_count: int) -> int:
    """Number of inputs of the first graph; without graphs, inputs are the outputs."""
    return len(graph.other(numbers[0]).inputs) if numbers else output_count


def _connected(
    graph: Graph, node: Node, nodes: list[Node], tensors: list[Tensor], values: Sequence[int]
) -> Graph | None:
    """The node's outputs are `values`: made by these nodes under the output's own name, constants,
    or existing tensors that replace them."""
    made = {index for each in nodes for index in each.outputs}
    names, stand_ins = dict[int, int](), dict[int, int]()
    for output, value in zip(node.outputs, values, strict=True):
        tensor = tensors[value]
        if tensor.is_constant and not tensor.unread:
            tensors[output] = replace(tensors[output], data=tensor.data)
        elif tensor.is_variable or not _are_alike(tensor, tensors[output]):
            return None
        elif value in made and value not in names:
            names[value] = output
            tensors[output] = replace(tensors[output], origin=tensor.origin)
        else:
            stand_ins[output] = names.get(value, value)
    position = graph.nodes.index(node)
    behind = [_renamed(each, stand_ins) for each in graph.nodes[position + 1 :]]
    here = [_renamed(each, names) for each in nodes]
    return replace(
        graph,
        tensors=tuple(tensors),
        nodes=(*graph.nodes[:position], *here, *behind),
        outputs=tuple(stand_ins.get(index, index) for index in graph.outputs),
        file_inputs=graph.file_inputs or graph.inputs,
        file_outputs=graph.file_outputs or graph.outputs,
    )


def _are_alike(one: Tensor, other: Tensor) -> bool:
    return (one.dtype, one.shape, one.quantization) == (
        other.dtype,
        other.shape,
        other.quantization,
    )


def _renamed(node: Node, names: dict[int, int]) -> Node:
    """The node on other tensors."""
    inputs = tuple(None if each is None else names.get(each, each) for each in node.inputs)
    return replace(
        node, inputs=inputs, outputs=tuple(names.get(each, each) for each in node.outputs)
    )
