"""Operators without an int8 form, as far as that is known without ranges."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tinyml_rules.errors import Problem, UnsupportedError
from tinyml_rules.ir.graph import Graph, Node, NodeView
from tinyml_rules.ir.text import operator_name
from tinyml_rules.ops._shared.operator import Operators, Role
from tinyml_rules.passes.check import problems_of_nodes
from tinyml_rules.quantize.integers import integer_graph
from tinyml_rules.quantize.plan import Plan, has_floats, plan_of
from tinyml_rules.quantize.ranges import by_ends
from tinyml_rules.quantize.safe import in_int32

_HINT = (
    "leave it out of the model, behind its output for example, write it with operators that have "
    "an int8 form, or keep it float32 with --no-full-integer"
)

_HINT_OF_MAPS = (
    "with --no-full-integer they stay float32 in the file, between conversions, and the compiler "
    "makes tables of 256 bytes of them, as each value is computed by itself"
)


def plan_core(graph: Graph, operators: Operators, *, is_full_integer: bool) -> Plan:
    """The plan; raises UnsupportedError with all nodes that would stay float32, if none may."""
    plan, reasons = _plan(graph, operators)
    if reasons and is_full_integer:
        raise UnsupportedError(list(_problems(graph, operators, reasons)))
    return plan


def _plan(graph: Graph, operators: Operators) -> tuple[Plan, Mapping[int, str]]:
    """The plan in which all nodes are int8 that can be, and why the others cannot, by node."""
    reasons = {
        node.index: "has no int8 form"
        for node in graph.nodes
        if operators[node.op].quantization is None
        and operators[node.op].role is not Role.CONVERSION
        and has_floats(graph, node)
    }
    while True:
        plan = plan_of(graph, operators, frozenset(reasons))
        found = {
            index: f"has no int8 form here: {why}"
            for index, why in _refused(plan)
            if index not in reasons
        }
        if not found:
            return plan, reasons
        reasons |= found


def _refused(plan: Plan) -> Iterator[tuple[int, str]]:
    """The nodes that the int8 meaning of their operator refuses, in ranges from -1 to 1."""
    ranges = dict.fromkeys(plan.group, (-1.0, 1.0))
    trial = integer_graph(plan, in_int32(plan, by_ends(plan, ranges)).scheme)
    made = {index: node for node in plan.graph.nodes for index in node.outputs}
    problems = problems_of_nodes(trial, plan.operators)
    for node in trial.nodes:
        original = made.get(node.outputs[0]) if node.outputs else None
        is_integer = original is not None and original.index not in plan.in_float
        if problems[node.index] and original is not None and is_integer:
            yield original.index, problems[node.index][0].what


def _problems(graph: Graph, operators: Operators, reasons: Mapping[int, str]) -> Iterator[Problem]:
    nodes = [node for node in graph.nodes if node.index in reasons]
    are_maps = all(operators[node.op].is_map(NodeView(graph, node)) for node in nodes)
    for place, node in enumerate(nodes):
        hint = (_HINT_OF_MAPS if are_maps else _HINT) if place == len(nodes) - 1 else ""
        yield Problem(graph.where(node), _text(graph, node, reasons[node.index]), hint)


def _text(graph: Graph, node: Node, reason: str) -> str:
    tensor = graph.tensors[node.outputs[0]]
    return f"{operator_name(node.op)} {reason}: tensor {tensor} would stay float32"
