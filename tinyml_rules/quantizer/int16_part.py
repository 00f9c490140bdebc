"""Which nodes compute with int16: all that can, or those around the tensors that the user names."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from tinyml_rules.errors import Note, Problem, UnsupportedError, UsageError, did_you_mean
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Graph, Node
from tinyml_rules.ir.text import operator_name
from tinyml_rules.ops._shared.operator import Operators, Role
from tinyml_rules.ops._shared.quantization import Relation
from tinyml_rules.quantizer.differences import BETWEEN_NAMES
from tinyml_rules.quantizer.plan import Int16Part, has_floats
from tinyml_rules.quantizer.request import Activations

MOST_NAMED = 4
"""Most nodes that a note names."""


def tensors_called(graph: Graph, operators: Operators, names: Sequence[str]) -> frozenset[int]:
    """The float32 tensors of these names, in all rounds of a loop, and those that operators only
    move or choose the values of; raises UsageError for an unknown name."""
    by_name: dict[str, int] = {}
    for index in (*graph.inputs, *(index for node in graph.nodes for index in node.outputs)):
        if graph.tensors[index].dtype is DType.FLOAT32:
            whole = graph.tensors[index].name
            for name in (whole, *whole.split(BETWEEN_NAMES)):
                by_name.setdefault(name, index)
    for name in names:
        if name not in by_name:
            what = f"int16: no tensor '{name}' is computed, expected a tensor of the report"
            raise UsageError.at(graph.name, what, hint=did_you_mean(name, by_name))
    found = {by_name[name] for name in names}
    origins = {graph.tensors[index].origin for index in found} - {""}
    found |= {index for index in by_name.values() if graph.tensors[index].origin in origins}
    count = 0
    while count < len(found):
        count = len(found)
        for node in graph.nodes:
            rule = operators[node.op].quantization
            tensors = set(_floats(graph, node))
            if rule is not None and rule.passes_clamps and tensors & found:
                found |= tensors
    return frozenset(found)


def wanted(
    graph: Graph, operators: Operators, activations: Activations, tensors: frozenset[int]
) -> frozenset[int]:
    """The nodes that shall compute with int16: all, or those that make or read the tensors."""
    return frozenset(
        node.index
        for node in graph.nodes
        if operators[node.op].role is not Role.CONVERSION
        and has_floats(graph, node)
        and (activations is Activations.INT16 or not tensors.isdisjoint(_floats(graph, node)))
    )


def part_of(
    graph: Graph, nodes: frozenset[int], activations: Activations, tensors: frozenset[int]
) -> Int16Part:
    """These nodes, and the inputs and outputs of the graph that are int16: inputs that one of the
    nodes reads, and what is named."""
    is_all = activations is Activations.INT16
    ends = {index for index in graph.outputs if index in tensors}
    for index in graph.inputs:
        readers = {node.index for node in graph.nodes if index in node.inputs}
        is_read = not readers.isdisjoint(nodes)
        if is_read and (is_all or index in tensors):
            ends.add(index)
    return Int16Part(nodes, frozenset(ends), is_default=is_all)


def without_islands(graph: Graph, operators: Operators, nodes: frozenset[int]) -> frozenset[int]:
    """The nodes without those that keep one quantization, and so gain nothing, between int8
    operators."""
    makers = {index: node.index for node in graph.nodes for index in node.outputs}
    found = set(nodes)
    for _ in graph.nodes:
        before = len(found)
        for node in graph.nodes:
            rule = operators[node.op].quantization
            if node.index in found and rule is not None and rule.relation is Relation.SAME:
                around = {makers[index] for index in node.inputs if index in makers}
                outputs = set(node.outputs)
                around |= {each.index for each in graph.nodes if outputs & set(each.inputs)}
                if around and not around & found:
                    found.discard(node.index)
        if len(found) == before:
            break
    return frozenset(found)


def check_named(
    graph: Graph, names: Sequence[str], tensors: Collection[int], refused: Mapping[int, str]
) -> None:
    """Raise UnsupportedError where the maker of a named tensor has no int16 form, or none of its
    readers has one."""
    problems = []
    for index in sorted(tensors):
        maker = [node for node in graph.nodes if index in node.outputs and node.index in refused]
        readers = [node for node in graph.nodes if index in node.inputs]
        is_unread = bool(readers) and all(node.index in refused for node in readers)
        is_lost = is_unread and index not in graph.outputs
        for node in [*maker, *(readers[:1] if is_lost else [])]:
            does = "makes" if node in maker else "reads"
            what = (
                f"{operator_name(node.op)}, which {does} tensor {graph.tensors[index]} of "
                f"int16 = {', '.join(names)}, has no int16 form: {refused[node.index]}"
            )
            problems.append(Problem(graph.where(node), what))
    if problems:
        raise UnsupportedError(problems)


def check_any(graph: Graph, nodes: Collection[int], refused: Mapping[int, str]) -> None:
    """Raise UnsupportedError where no node is left that has an int16 form."""
    if not nodes:
        first, why = next(iter(sorted(refused.items())), (graph.nodes[0].index, ""))
        node = next(each for each in graph.nodes if each.index == first)
        what = f"no operator of the model has an int16 form; the first is {operator_name(node.op)}"
        raise UnsupportedError.at(graph.where(node), f"{what}: {why}" if why else what)


def notes_of(graph: Graph, nodes: Collection[int], asked: Collection[int]) -> Iterator[Problem]:
    """A note of the nodes that shall compute with int16 and do not."""
    left = [node for node in graph.nodes if node.index in asked and node.index not in nodes]
    if left:
        named = [f"node {node.index} ({operator_name(node.op)})" for node in left[:MOST_NAMED]]
        more = f" and {len(left) - MOST_NAMED} more" if len(left) > MOST_NAMED else ""
        verb = "stays" if len(left) == 1 else "stay"
        what = f"{', '.join(named)}{more} {verb} int8, after QUANTIZE: no int16 form"
        yield Note(graph.name, what)


def _floats(graph: Graph, node: Node) -> Iterable[int]:
    """The computed float32 tensors of a node."""
    for index in (*node.inputs, *node.outputs):
        tensor = None if index is None else graph.tensors[index]
        if tensor is not None and not tensor.is_constant and tensor.dtype is DType.FLOAT32:
            yield tensor.index
