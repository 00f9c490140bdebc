"""WHILE: one sub-graph repeated as long as another returns true."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.options import option
from tinyml_rules.ops._shared.calling import (
    MOST_TURNS,
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
    """WhileOptions."""

    cond_subgraph_index: int = option(0, "int32")
    body_subgraph_index: int = option(1, "int32")


def calls(view: NodeView) -> tuple[int, ...]:
    """Condition and body."""
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    return attrs.cond_subgraph_index, attrs.body_subgraph_index


def check(view: NodeView) -> Iterator[str]:
    """Both graphs take the node's inputs; the body gives their next values, the condition says
    whether it runs again."""
    inputs = view.each("input")
    condition, body = (graph_of(view, number) for number in calls(view))
    if condition is None or body is None:
        yield "there is no such sub-graph"
        return
    yield from differences(view.outputs, inputs, "node's outputs", "input")
    yield from check_graph(condition, "condition", inputs)
    yield from check_graph(body, "body", inputs)
    if [is_truth(each) for each in tensors_of(condition, condition.outputs)] != [True]:
        yield "the condition's outputs are not a single bool"
    yield from differences(tensors_of(body, body.outputs), inputs, "body's outputs", "input")


def course(view: NodeView, fold: Fold) -> tuple[int, ...] | None:
    """The body as often as it runs, if the constant variables decide that."""
    condition, body = calls(view)
    values = [None if tensor is None else tensor.data for tensor in view.inputs]
    for turns in range(MOST_TURNS + 1):
        (holds,) = fold(condition, values)
        if holds is None:
            return None
        if not holds.any():
            return (body,) * turns
        values = list(fold(body, values))
    return None


_MOST_TURNS_OF_TESTS = 100_000
"""Most turns of a loop in tests; a longer one counts as endless."""


def oracle(view: NodeView, values: Mapping[int, Array]) -> tuple[Array, ...]:
    """Every output: the loop variables once the condition does not hold."""
    run, attrs = view.run, view.node.attrs
    assert run is not None and isinstance(attrs, Attrs)
    current = [values[tensor.index] for tensor in view.inputs if tensor is not None]
    for _ in range(_MOST_TURNS_OF_TESTS):
        (holds,) = run(attrs.cond_subgraph_index, current)
        if not bool(holds.reshape(-1)[0]):
            return tuple(current)
        current = list(run(attrs.body_subgraph_index, current))
    raise AssertionError("the loop does not end")


_TEMPLATE = Path(__file__).parent / "kernels" / "loop.c.j2"

OP = Op(
    name="while",
    builtin_code=119,
    options_type=93,
    attrs=Attrs,
    inputs=("input+",),
    outputs=("output+",),
    summary="any types; condition and body are sub-graphs without variables",
    role=Role.CALL,
    calls=calls,
    course=course,
    meanings=(call_meaning("while", _TEMPLATE, oracle, check=check, calls=calls),),
)
