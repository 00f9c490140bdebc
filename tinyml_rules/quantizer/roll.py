"""Integer Graph -> the same with its loops: what was unrolled to be quantized is written as it was.

All rounds have the same scales and weights, so that one round in integers is the body of the loop.
Where the rounds do not fit into one body, the graph stays unrolled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tinyml_rules.arithmetic.fixed_point import quantize_real
from tinyml_rules.ir.graph import Graph, Node, Tensor
from tinyml_rules.ops._shared.operator import Operators
from tinyml_rules.passes.calls import calls_of
from tinyml_rules.passes.remove_dead_nodes import remove_dead_nodes


class _DifferError(Exception):
    """The rounds do not fit into one body."""


@dataclass(frozen=True, eq=False)
class _Loop:
    """A node that runs a graph as long as another holds, and the values that go round and are
    needed, by their place among the node's operands."""

    node: Node
    condition: int
    body: int
    places: tuple[int, ...]
    nodes: tuple[Node, ...]
    """Those of the body that these need."""


def roll(loops: Graph, unrolled: Graph, operators: Operators) -> Graph | None:
    """`unrolled` with the loops of `loops`, the float32 graph that it was made of; None where the
    graph has none, or its rounds differ."""
    callers = [node for node in loops.nodes if calls_of(loops, node, operators)]
    if not callers:
        return None
    try:
        return _rolled(loops, unrolled, callers, operators)
    except _DifferError:
        return None


def _rolled(loops: Graph, unrolled: Graph, callers: Sequence[Node], operators: Operators) -> Graph:
    tensors, others = list(unrolled.tensors), list(loops.others)
    first = {others[_calls(loops, node, operators)[1] - 1].name: node for node in callers}
    if 2 * len(first) != len(others):
        raise _DifferError
    kept = [node for node in unrolled.nodes if not node.origin]
    read = {index for node in (*kept, *callers) for index in node.inputs} | set(unrolled.outputs)
    nodes: list[Node] = []
    for node in unrolled.nodes:
        graph_name = node.origin.partition(": node ")[0]
        if not node.origin:
            nodes.append(node)
        elif graph_name in first:
            loop = _loop(loops, first.pop(graph_name), read, operators)
            nodes.append(_with_integers(loop, (loops, unrolled), tensors, others))
        elif not any(graph_name == each.name for each in others):
            raise _DifferError
    made = {index for node in nodes for index in node.outputs} | set(unrolled.inputs)
    if first or not all(
        index is None or index in made or tensors[index].is_constant
        for index in (*(index for node in nodes for index in node.inputs), *unrolled.outputs)
    ):
        raise _DifferError
    numbered = tuple(replace(node, index=place) for place, node in enumerate(nodes))
    return replace(unrolled, tensors=tuple(tensors), nodes=numbered, others=tuple(others))


def _calls(loops: Graph, node: Node, operators: Operators) -> tuple[int, int]:
    """Condition and body."""
    numbers = calls_of(loops, node, operators)
    graphs = [loops.others[number - 1] for number in numbers]
    count = len(node.inputs)
    if [len(each.inputs) for each in graphs] != [count] * 2 or len(graphs[1].outputs) != count:
        raise _DifferError
    return numbers[0], numbers[1]


def _loop(loops: Graph, node: Node, read: set[int | None], operators: Operators) -> _Loop:
    """With the values that are read after it, and all that those depend on."""
    number, body_number = _calls(loops, node, operators)
    condition, body = (loops.others[each - 1] for each in (number, body_number))
    of_condition = {index for each in condition.nodes for index in each.inputs}
    needed = {place for place, index in enumerate(condition.inputs) if index in of_condition}
    needed |= {place for place, index in enumerate(node.outputs) if index in read}
    while True:
        outputs = tuple(body.outputs[place] for place in sorted(needed))
        nodes = remove_dead_nodes(replace(body, outputs=outputs), operators).nodes
        reads = {index for each in nodes for index in each.inputs} | set(outputs)
        more = {place for place, index in enumerate(body.inputs) if index in reads} | needed
        if more == needed:
            return _Loop(node, number, body_number, tuple(sorted(needed)), nodes)
        needed = more


def _with_integers(
    loop: _Loop, graphs: tuple[Graph, Graph], tensors: list[Tensor], others: list[Graph]
) -> Node:
    """The node of two graphs, with loops and unrolled; its operands and its graphs as integers are
    put into `tensors` and `others`."""
    loops, unrolled = graphs
    places, node = loop.places, loop.node
    condition, body = others[loop.condition - 1], others[loop.body - 1]
    inputs, outputs = (
        tuple(each[place] for place in places) for each in (body.inputs, body.outputs)
    )
    body = _body(replace(body, nodes=loop.nodes, inputs=inputs, outputs=outputs), unrolled)
    carried = [body.tensors[index] for index in body.inputs]
    for tensor, index in zip(carried, body.outputs, strict=True):
        _check_alike(tensor, body.tensors[index])
    held = {condition.inputs[place]: each for place, each in zip(places, carried, strict=True)}
    others[loop.body - 1] = body
    others[loop.condition - 1] = replace(
        condition,
        tensors=tuple(
            _like(each, held[each.index]) if each.index in held else each
            for each in condition.tensors
        ),
        inputs=tuple(held),
    )
    sources = [
        _source(loops.tensors[source], tensor, tensors)
        for place, tensor in zip(places, carried, strict=True)
        if (source := node.inputs[place]) is not None
    ]
    results = [node.outputs[place] for place in places]
    for result, tensor in zip(results, carried, strict=True):
        if any(result in each.inputs for each in unrolled.nodes):
            _check_alike(unrolled.tensors[result], tensor)
        tensors[result] = replace(_like(unrolled.tensors[result], tensor), data=None)
    return replace(node, inputs=tuple(sources), outputs=tuple(results))


def _body(body: Graph, unrolled: Graph) -> Graph:
    """One round in integers, as all rounds are."""
    tensors, nodes = list(body.tensors), []
    known: dict[int, Tensor] = {}
    for node in body.nodes:
        rounds = [each for each in unrolled.nodes if each.origin == body.where(node)]
        if not rounds:
            found = (tensors[index] for index in _operands(node) if index is not None)
            if any(each.dtype.is_real for each in found):
                raise _DifferError
            nodes.append(node)
            continue
        last, inputs = rounds[-1], list(node.inputs)
        if last.op != node.op or len(last.outputs) != len(node.outputs):
            raise _DifferError
        _check_rounds(rounds, unrolled)
        inputs += [None] * (len(last.inputs) - len(inputs))
        for place, index in enumerate(last.inputs):
            if index is None:
                continue
            own = inputs[place]
            if own is None:
                inputs[place] = len(tensors)
                tensors.append(replace(unrolled.tensors[index], index=len(tensors)))
            else:
                _learn(known, tensors[own], unrolled.tensors[index])
        for mine, index in zip(node.outputs, last.outputs, strict=True):
            _learn(known, tensors[mine], unrolled.tensors[index])
        nodes.append(replace(node, version=last.version, attrs=last.attrs, inputs=tuple(inputs)))
    integers = tuple(known.get(each.index, each) for each in tensors)
    return replace(body, tensors=integers, nodes=tuple(nodes))


def _learn(known: dict[int, Tensor], tensor: Tensor, integer: Tensor) -> None:
    """What a tensor of the body is as integers; the same wherever it is read.  Weights of a
    dynamic-range model have integers already, which were rounded anew."""
    if tensor.dtype.is_real or (tensor.is_constant and tensor.quantization is not None):
        data = integer.data if tensor.is_constant else None
        found = replace(_like(tensor, integer), data=data)
        before = known.setdefault(tensor.index, found)
        _check_alike(before, found)
        _check_equal(before, found)


def _check_rounds(rounds: Sequence[Node], unrolled: Graph) -> None:
    """All rounds have the same quantizations and weights; but the first, in which much is known
    before."""
    for node in rounds[1:-1]:
        if len(node.inputs) != len(rounds[-1].inputs):
            raise _DifferError
        operands = zip(_operands(node), _operands(rounds[-1]), strict=True)
        for one, other in operands:
            if one is not None and other is not None:
                _check_alike(unrolled.tensors[one], unrolled.tensors[other])
                if unrolled.tensors[one].quantization is not None:
                    _check_equal(unrolled.tensors[one], unrolled.tensors[other])


def _operands(node: Node) -> tuple[int | None, ...]:
    return (*node.inputs, *node.outputs)


def _check_equal(one: Tensor, other: Tensor) -> None:
    """The same constant, or none."""
    if one.data is not None and other.data is not None:
        is_equal = np.array_equal(one.data, other.data)
    else:
        is_equal = one.data is other.data
    if not is_equal:
        raise _DifferError


def _source(tensor: Tensor, like: Tensor, tensors: list[Tensor]) -> int:
    """The number of a first value; a constant gets a tensor of its own."""
    if tensor.data is None:
        _check_alike(tensors[tensor.index], like)
        return tensor.index
    data = tensor.data
    if tensor.dtype.is_real and like.quantization is not None:
        data = quantize_real(
            data.astype(np.float32),
            scale=like.scale,
            zero_point=like.zero_point,
            dtype=str(like.dtype),
        )
    tensors.append(replace(_like(tensor, like), index=len(tensors), data=data))
    return len(tensors) - 1


def _like(tensor: Tensor, other: Tensor) -> Tensor:
    return replace(tensor, dtype=other.dtype, quantization=other.quantization)


def _check_alike(one: Tensor, other: Tensor) -> None:
    if (one.dtype, one.quantization) != (other.dtype, other.quantization):
        raise _DifferError
