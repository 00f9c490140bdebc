"""Operators without an int8 or an int16 form, as far as that is known without ranges."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tinyml_rules.errors import Problem, UnsupportedError
from tinyml_rules.ir.graph import Graph, Node, NodeView
from tinyml_rules.ir.text import operator_name
from tinyml_rules.ops._shared.operator import Operators, Role
from tinyml_rules.passes.check import problems_of_nodes
from tinyml_rules.passes.mere_meanings import is_mere_meaning
from tinyml_rules.quantizer import int16_part
from tinyml_rules.quantizer.groups import plan_of
from tinyml_rules.quantizer.integers import integer_graph
from tinyml_rules.quantizer.plan import Plan, has_floats
from tinyml_rules.quantizer.ranges import by_ends
from tinyml_rules.quantizer.request import Activations
from tinyml_rules.quantizer.safe import in_int32

_HINT = (
    "leave it out of the model, behind its output for example, write it with operators that have "
    "an int8 form, or keep it float32 with --no-full-integer"
)

_HINT_OF_MAPS = (
    "with --no-full-integer they stay float32 in the file, between conversions, and the compiler "
    "makes tables of 256 bytes of them, as each value is computed by itself"
)


@dataclass(frozen=True)
class Wish:
    """Which tensors shall be int16: all, or those of these names."""

    activations: Activations = Activations.INT8
    int16: tuple[str, ...] = ()


def plan_core(
    graph: Graph, operators: Operators, *, is_full_integer: bool, wish: Wish = Wish()
) -> tuple[Plan, tuple[Problem, ...]]:
    """The plan and its notes; raises UnsupportedError with all nodes that would stay float32, if
    none may, and where a tensor cannot be int16."""
    named = int16_part.tensors_called(graph, operators, wish.int16)
    asked = int16_part.wanted(graph, operators, wish.activations, named)
    plan, reasons, refused = _plan(graph, operators, wish, named)
    if reasons and is_full_integer:
        raise UnsupportedError(list(_problems(graph, operators, reasons)))
    int16_part.check_named(graph, wish.int16, named, refused)
    asked -= reasons.keys()
    if asked:
        int16_part.check_any(graph, plan.in_int16, refused)
    return plan, tuple(int16_part.notes_of(graph, plan.in_int16, asked))


def _plan(
    graph: Graph, operators: Operators, wish: Wish, named: frozenset[int]
) -> tuple[Plan, Mapping[int, str], Mapping[int, str]]:
    """The plan in which all nodes are integers that can be; why the others cannot, and why some
    cannot compute with int16, by node."""
    reasons = {
        node.index: "has no int8 form"
        for node in graph.nodes
        if operators[node.op].quantization is None
        and operators[node.op].role is not Role.CONVERSION
        and has_floats(graph, node)
    }
    refused: dict[int, str] = {}
    asked = int16_part.wanted(graph, operators, wish.activations, named)
    while True:
        wide = asked - refused.keys() - reasons.keys()
        if wish.activations is Activations.INT16:
            wide = int16_part.without_islands(graph, operators, wide)
        part = int16_part.part_of(graph, wide, wish.activations, named)
        plan = plan_of(graph, operators, frozenset(reasons), part)
        found = dict(_refused(plan))
        refused |= {index: why for index, why in found.items() if index in wide}
        others = found.keys() - refused.keys() - reasons.keys()
        if not others and not found.keys() & wide:
            return plan, reasons, refused
        reasons |= {index: f"has no int8 form here: {found[index]}" for index in others}


def _refused(plan: Plan) -> Iterator[tuple[int, str]]:
    """The nodes that the integer meaning of their operator refuses, in ranges from -1 to 1."""
    ranges = dict.fromkeys(plan.group, (-1.0, 1.0))
    trial = integer_graph(plan, in_int32(plan, by_ends(plan, ranges)).scheme)
    made = {index: node for node in plan.graph.nodes for index in node.outputs}
    problems = problems_of_nodes(trial, plan.operators)
    for node in trial.nodes:
        original = made.get(node.outputs[0]) if node.outputs else None
        is_integer = original is not None and original.index not in plan.in_float
        if original is None or not is_integer:
            continue
        if problems[node.index]:
            yield original.index, problems[node.index][0].what
        elif original.index in plan.in_int16:
            rule = plan.rule(original)
            if rule is not None and not rule.has_int16:
                yield original.index, "neither TFLM nor LiteRT has one"
            elif is_mere_meaning(NodeView(trial, node), plan.operators):
                yield original.index, "no kernel takes int16"


def _problems(graph: Graph, operators: Operators, reasons: Mapping[int, str]) -> Iterator[Problem]:
    nodes = [node for node in graph.nodes if node.index in reasons]
    are_maps = all(operators[node.op].is_map(NodeView(graph, node)) for node in nodes)
    for place, node in enumerate(nodes):
        hint = (_HINT_OF_MAPS if are_maps else _HINT) if place == len(nodes) - 1 else ""
        yield Problem(graph.where(node), _text(graph, node, reasons[node.index]), hint)


def _text(graph: Graph, node: Node, reason: str) -> str:
    tensor = graph.tensors[node.outputs[0]]
    return f"{operator_name(node.op)} {reason}: tensor {tensor} would stay float32"
