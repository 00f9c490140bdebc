"""Checks every node of a user's model, and reports all problems at once.

A problem that many nodes share is reported once, and so is its hint.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tinyml_rules.errors import Problem, UnsupportedError
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Graph, Node, NodeView, Tensor
from tinyml_rules.ir.text import counted, node_numbers
from tinyml_rules.ops._shared.constraints import WrongType, empty_operands, operand_counts
from tinyml_rules.ops._shared.interval import NARROW
from tinyml_rules.ops._shared.operator import Handling, Op, Operators, Role
from tinyml_rules.passes.calls import CallError, called_graphs, calls_of
from tinyml_rules.passes.mere_meanings import is_mere_meaning, without_kernels
from tinyml_rules.passes.missing_operators import LIST_HINT, LOOP_HINT, missing_operators
from tinyml_rules.passes.schemes import (
    FLOAT32,
    first_foreign,
    foreign_hint,
    scheme_of_model,
    scheme_of_node,
    strange_type,
)

_TENSOR = re.compile(r"#\d+ '[^']*'")


@dataclass(frozen=True)
class TypeProblem(Problem):
    """The problem that an operator does not support the element type of a node."""


def check(graph: Graph, operators: Operators, *, needs_kernels: bool = True) -> Graph:
    """The same graph, if every node is supported; raises UnsupportedError otherwise.
    `needs_kernels=False` also accepts nodes that can be evaluated in numpy but have no C."""
    problems = problems_of(graph, operators, needs_kernels=needs_kernels)
    if problems:
        raise UnsupportedError(problems)
    return graph


def problems_of(
    graph: Graph, operators: Operators, *, needs_kernels: bool = True
) -> tuple[Problem, ...]:
    """All problems for which `check` refuses a model, each hint once."""
    calls = list(_check_calls(graph, operators))
    graphs = [graph]
    if not calls:
        once, numbers = _started(graph, operators), called_graphs(graph, operators)
        graphs += [graph.other(number) for number in numbers if number not in once]
    judged = [_of_graph(part, operators, needs_kernels=needs_kernels) for part in graphs]
    in_loops = (_in_a_loop(each) for part in judged[1:] for each in part)
    problems = [*calls, *judged[0], *in_loops]
    if not problems:
        problems = [each for part in graphs[1:] for each in _keeping(part, operators)]
    problems = problems or list(_check_ends(graph))
    if needs_kernels and not problems:
        problems = [each for part in graphs for each in _check_tables(part, operators)]
    return tuple(_each_hint_once(problems))


def _in_a_loop(problem: Problem) -> Problem:
    """The problem of a node in a loop, whose way out may be that there is no loop."""
    has_way = problem.hint not in ("", LIST_HINT)
    return problem if has_way else replace(problem, hint=LOOP_HINT)


def _started(graph: Graph, operators: Operators) -> set[int]:
    """The graphs that run once: the node that runs one says what is wrong with it."""
    return {
        number
        for node in graph.nodes
        if node.op in operators and operators[node.op].handling is Handling.STARTS
        for number in calls_of(graph, node, operators)
    }


def _of_graph(graph: Graph, operators: Operators, *, needs_kernels: bool) -> list[Problem]:
    problems = list(_check_operators(graph, operators))
    groups: dict[DType | None, list[Node]] = {}
    found = problems_of_nodes(graph, operators, needs_kernels=needs_kernels)
    for node in graph.nodes:
        if found.get(node.index):
            is_strange = any(isinstance(each, TypeProblem) for each in found[node.index])
            kind = strange_type(NodeView(graph, node)) if is_strange else None
            groups.setdefault(kind, []).append(node)
    ordinary = groups.pop(None, [])
    for nodes in groups.values():
        if len(nodes) > 1:
            problems.append(_strange_nodes(graph, nodes))
        else:
            ordinary += nodes
    return [*problems, *_alike([(node, found[node.index]) for node in ordinary])]


def problems_of_nodes(
    graph: Graph, operators: Operators, *, needs_kernels: bool = True
) -> dict[int, tuple[Problem, ...]]:
    """Problems of each node whose operator is known, by the node's index."""
    as_read = _as_read(graph, operators)
    present = [node for node in graph.nodes if node.op in operators]
    found = {node.index: tuple(_check_node(graph, node, operators, as_read)) for node in present}
    if needs_kernels:
        found |= {
            node.index: tuple(_check_kernels(graph, node, operators))
            for node in present
            if not found[node.index]
        }
    return found


def _check_kernels(graph: Graph, node: Node, operators: Operators) -> Iterator[Problem]:
    """A node with a meaning in numpy but no kernel, which never becomes a table, is reported like a
    node of an unsupported type."""
    view = NodeView(graph, node)
    if is_mere_meaning(view, operators) and not operators[node.op].is_map(view):
        scheme, tensor = scheme_of_node(view), _first_wide(view)
        what = f"tensor {tensor} is {tensor.dtype}, expected {DType.INT8}"
        yield TypeProblem(graph.where(node), what, scheme.hint if scheme else "")


def _alike(found: Sequence[tuple[Node, Sequence[Problem]]]) -> Iterator[Problem]:
    """Problems by node; of nodes of one operator whose problems differ in the tensors' names only,
    those of the first."""
    groups: dict[tuple[str, ...], list[int]] = {}
    for node, problems in found:
        key = (node.op, *(_TENSOR.sub("", each.what) for each in problems))
        groups.setdefault(key, []).append(node.index)
    others = {first: more for first, *more in groups.values()}
    for node, problems in found:
        if node.index in others:
            more = others[node.index]
            end = f"; the same: {node_numbers(more)}" if more else ""
            yield from (replace(each, what=f"{each.what}{end}") for each in problems)


def _check_calls(graph: Graph, operators: Operators) -> Iterator[Problem]:
    """Called sub-graphs that do not exist, and those that call themselves."""
    try:
        called_graphs(graph, operators)
    except CallError as error:
        yield error.problem


def _keeping(graph: Graph, operators: Operators) -> Iterator[Problem]:
    """Nodes of a called graph that keep values between inferences: it has no memory of its own."""
    for node in graph.nodes:
        if operators[node.op].state(NodeView(graph, node)):
            what = "keeps values, which is not supported in a sub-graph"
            yield Problem(graph.where(node), what)


def _check_operators(graph: Graph, operators: Operators) -> Iterator[Problem]:
    """All unknown operators, in one message."""
    missing: dict[str, list[int]] = {}
    for node in graph.nodes:
        if node.op not in operators:
            missing.setdefault(node.op, []).append(node.index)
    if missing:
        yield missing_operators(graph, missing)


def _strange_nodes(graph: Graph, nodes: Sequence[Node]) -> Problem:
    """Nodes of the same unsupported element type, in one message."""
    views = [NodeView(graph, node) for node in nodes]
    scheme = scheme_of_model([each for each in map(scheme_of_node, views) if each is not None])
    name = f"{scheme.name} model: " if scheme.name else ""
    what = f"{name}{_kinds(graph, nodes)} {scheme.nodes}"
    first = f"the first is node {nodes[0].index} with tensor {first_foreign(views[0])}"
    return Problem(graph.name, f"{what}; {first}", scheme.hint)


def _kinds(graph: Graph, nodes: Sequence[Node]) -> str:
    """How many nodes of which operators: `3 of 6 nodes (relu ×3)`."""
    counts = Counter(node.op for node in nodes)
    kinds = ", ".join(counted(op, count) for op, count in counts.items())
    is_whole = len(nodes) == len(graph.nodes)
    number = str(len(nodes)) if is_whole else f"{len(nodes)} of {len(graph.nodes)}"
    return f"{number} nodes ({kinds})"


def _check_tables(graph: Graph, operators: Operators) -> Iterator[Problem]:
    """All maps that become no table and have no kernel, in one message."""
    views = without_kernels(graph, operators)
    if not views:
        return
    tensor = _first_wide(views[0])
    place = "supported only between operators that convert from and to 8 bits"
    scheme = scheme_of_node(views[0])
    hint = scheme.hint if scheme else ""
    if len(views) == 1:
        where = graph.where(views[0].node)
        yield Problem(where, f"tensor {tensor} is {tensor.dtype}, {place}", hint)
        return
    nodes = [view.node for view in views]
    first = f"the first is node {nodes[0].index} with tensor {tensor}"
    what = f"{_kinds(graph, nodes)} are {tensor.dtype}, {place}; {first}"
    yield Problem(graph.name, what, hint)


def _first_wide(view: NodeView) -> Tensor:
    """The tensor because of which a node cannot become a table, or its input."""
    tensors = [each for each in (*view.inputs, *view.outputs) if each is not None]
    return next((each for each in tensors if each.dtype not in NARROW), tensors[0])


def unsupported_nodes(graph: Graph, operators: Operators) -> frozenset[int]:
    """Nodes with problems of their own; if there are none, nodes that become no table and have no
    kernel."""
    found = problems_of_nodes(graph, operators)
    wrong = frozenset(
        node.index for node in graph.nodes if node.op not in operators or found[node.index]
    )
    return wrong or frozenset(view.node.index for view in without_kernels(graph, operators))


def _check_node(
    graph: Graph, node: Node, operators: Operators, as_read: Graph
) -> Iterator[Problem]:
    """Problems of a node whose operator is known."""
    where, op = graph.where(node), operators[node.op]
    view = NodeView(graph if op.keeps_outputs else as_read, node)
    scheme = scheme_of_node(view)
    counts = operand_counts(view)
    texts = list(counts) or list(_unusable_operands(view, op))
    for text in texts or op.problems(view):
        if isinstance(text, WrongType):
            hint = scheme.hint if scheme else foreign_hint(graph, text.tensor)
            yield TypeProblem(where, text, hint)
        else:
            yield Problem(where, text, FLOAT32.hint if _converts_constant(view, op) else "")


def _converts_constant(view: NodeView, op: Op) -> bool:
    """Whether its operand is the integer weights of a layer that computes in float32."""
    is_conversion = op.role is Role.CONVERSION and bool(view.inputs)
    return is_conversion and view.inputs[0] is not None and view.inputs[0].is_constant


def _as_read(graph: Graph, operators: Operators) -> Graph:
    """The graph with variables that nodes write as ordinary tensors, as their readers expect
    them."""
    keeping = (node for node in graph.nodes if node.op in operators)
    given = {
        index for node in keeping if operators[node.op].keeps_outputs for index in node.outputs
    }
    if not given:
        return graph
    tensors = (
        replace(each, is_variable=False) if each.index in given else each for each in graph.tensors
    )
    return replace(graph, tensors=tuple(tensors))


def _unusable_operands(view: NodeView, op: Op) -> Iterator[str]:
    """Problems of operands: missing values, constants in an unsupported form, and variables that
    the node does not expect."""
    yield from empty_operands(view, may_be_empty=op.may_be_empty)
    for tensor in (*view.inputs, *view.outputs):
        if tensor is not None and tensor.unread:
            yield f"tensor {tensor} is a constant {tensor.unread}, which is not supported"
    for tensor in view.outputs:
        if tensor.is_variable and not op.keeps_outputs:
            yield f"output tensor {tensor} is a variable, which is not supported"


def _check_ends(graph: Graph) -> Iterator[Problem]:
    """Problems of inputs and outputs whose element type does not exist in C."""
    for role, tensors in (("input", graph.inputs), ("output", graph.outputs)):
        for index in tensors:
            tensor = graph.tensors[index]
            if tensor.count == 0:
                yield Problem(graph.name, f"{role} tensor {tensor} has no values")
            elif not tensor.dtype.c_type:
                what = f"{role} tensor {tensor} is {tensor.dtype}, which is not supported"
                yield Problem(graph.name, what)
            elif role == "input" and tensor.is_constant:
                yield Problem(graph.name, f"{role} tensor {tensor} is a constant")


def _each_hint_once(problems: Sequence[Problem]) -> Iterator[Problem]:
    """The problems, with a hint that several share only at the last of them."""
    for position, problem in enumerate(problems):
        is_repeated = any(problem.hint == each.hint for each in problems[position + 1 :])
        yield replace(problem, hint="") if is_repeated else problem
