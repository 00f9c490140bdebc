"""Nodes that each set of rules of an operator takes, made of the operator's own cases."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from tests.support.operator_cases import cases_of
from tests.support.stages import read
from tinyml_rules.ir.graph import Graph, NodeView
from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops import builtin_operators
from tinyml_rules.ops._shared.cases.case import with_tensor
from tinyml_rules.ops._shared.cases.reals import in_reals
from tinyml_rules.ops._shared.cases.uint8 import in_int8
from tinyml_rules.ops._shared.operands import Operands
from tinyml_rules.passes.resolve_variables import resolve_variables

Right = tuple[ModelSpec, NodeView]
_WEIGHTS = 1
"""Position of the operand."""


def declarations_of(operator: str) -> list[Operands]:
    """The rules of all meanings of an operator, each once."""
    found: list[Operands] = []
    for meaning in builtin_operators()[operator].meanings:
        if meaning.operands and meaning.operands not in found:
            found.append(meaning.operands)
    return found


def right_nodes(operator: str, operands: Operands) -> list[Right]:
    """Nodes of the operator's cases that are judged by these rules, each a model of its own; where
    there are none, the first of these that are: the cases in real numbers, which numpy alone
    computes with, those with weights of int8, and those of uint8, as int8."""
    op = builtin_operators()[operator]
    for nodes in (_nodes, _real_nodes, _narrow_nodes, _byte_nodes):
        found = [each for each in nodes(operator) if op.meaning(each[1]).operands == operands]
        if found:
            return found
    return []


@cache
def _nodes(operator: str) -> list[Right]:
    models = (_alone(case.model, operator) for case in cases_of(operator).values())
    return [_right(model) for model in models if model is not None]


@cache
def _real_nodes(operator: str) -> list[Right]:
    return [_right(in_reals(case).model) for case in cases_of(operator).values()]


@cache
def _narrow_nodes(operator: str) -> list[Right]:
    models = (
        with_tensor(in_reals(case).model, _WEIGHTS, **vars(case.model.tensors[_WEIGHTS]))
        for case in cases_of(operator).values()
    )
    return [_right(model, widens_weights=True) for model in models]


@cache
def _byte_nodes(operator: str) -> list[Right]:
    models = (in_int8(case.model) for case in cases_of(operator).values())
    return [_right(model, is_of_uint8=True) for model in models]


def _right(model: ModelSpec, *, is_of_uint8: bool = False, widens_weights: bool = False) -> Right:
    graph = replace(read(model), is_of_uint8=is_of_uint8, widens_weights=widens_weights)
    return model, view_of(graph)


def _alone(model: ModelSpec, operator: str) -> ModelSpec | None:
    """The model without nodes of other operators; None where the case has none of this one."""
    if len(model.operators) == 1:
        return model
    plain = operator.replace("_", "")
    nodes = [
        each
        for each in model.operators
        if plain in (name.lower().replace("_", "") for name in (each.name, each.custom_code))
    ]
    if not nodes:
        return None
    inputs = [index for index in nodes[0].inputs if model.tensors[index].data is None]
    return replace(
        model,
        operators=(nodes[0],),
        inputs=tuple(inputs) or model.inputs,
        outputs=tuple(nodes[0].outputs),
    )


def view_of(graph: Graph) -> NodeView:
    """The first node, as operators are asked about it."""
    graph = resolve_variables(graph, builtin_operators())
    return NodeView(graph, graph.nodes[0])
