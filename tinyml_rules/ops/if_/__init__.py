"""IF: one of two sub-graphs, chosen by a bool."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.options import option
from tinyml_rules.ops._shared.calling import (
    call_meaning,
    check_graph,
    differences,
    graph_of,
    is_truth,
    tensors_of,
)
from tinyml_rules.ops._shared.operator import Fold, Op, Role


@dataclass(frozen=True)
class Attrs:
    """IfOptions."""

    then_subgraph_index: int = option(0, "int32")
    else_subgraph_index: int = option(1, "int32")


def calls(view: NodeView) -> tuple[int, ...]:
    """What runs where the condition holds, and what runs where not."""
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    return attrs.then_subgraph_index, attrs.else_subgraph_index


def check(view: NodeView) -> Iterator[str]:
    """Both branches take the node's inputs behind the condition, and give its outputs."""
    condition, values = view["condition"], view.each("input")
    branches = [graph_of(view, number) for number in calls(view)]
    if None in branches:
        yield "there is no such sub-graph"
        return
    if not is_truth(condition):
        shape = list(condition.shape)
        yield f"condition tensor {condition} is {condition.dtype} {shape}, expected a single bool"
    for name, graph in zip(("then branch", "else branch"), branches, strict=True):
        assert graph is not None
        yield from check_graph(graph, name, values)
        results = tensors_of(graph, graph.outputs)
        yield from differences(results, view.outputs, f"{name}'s outputs", "output")


def course(view: NodeView, _fold: Fold) -> tuple[int, ...] | None:
    """The one branch of a condition that is a constant."""
    holds = view["condition"].data
    if holds is None:
        return None
    then, otherwise = calls(view)
    return (then if holds.any() else otherwise,)


def oracle(view: NodeView, values: Mapping[int, Array]) -> tuple[Array, ...]:
    """Every output of the branch that runs."""
    run, attrs = view.run, view.node.attrs
    assert run is not None and isinstance(attrs, Attrs)
    holds, *rest = (values[tensor.index] for tensor in view.inputs if tensor is not None)
    taken = attrs.then_subgraph_index if holds.any() else attrs.else_subgraph_index
    return tuple(run(taken, rest))


_TEMPLATE = Path(__file__).parent / "kernels" / "branches.c.j2"

OP = Op(
    name="if",
    builtin_code=118,
    options_type=92,
    attrs=Attrs,
    inputs=("condition", "input*"),
    outputs=("output+",),
    summary="any types; both branches are sub-graphs without variables",
    role=Role.CALL,
    calls=calls,
    course=course,
    meanings=(call_meaning("if", _TEMPLATE, oracle, check=check, calls=calls),),
)
