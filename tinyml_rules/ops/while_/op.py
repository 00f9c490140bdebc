"""WHILE: its graphs, what may be wrong with a node, and its work."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tinyml_rules.ir.c_struct import NoParams
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Graph, NodeView, Tensor
from tinyml_rules.ir.options import option
from tinyml_rules.ir.program import Work


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
    inputs = [tensor for tensor in view.inputs if tensor is not None]
    names = ("condition", "body")
    graphs = [_graph(view, number) for number in calls(view)]
    if None in graphs or len(inputs) < len(view.inputs):
        yield "an input is left out, or there is no such sub-graph"
        return
    yield from _differences(view.outputs, inputs, "node's outputs")
    for name, graph in zip(names, graphs, strict=True):
        assert graph is not None
        tensors = [graph.tensors[index] for index in graph.inputs]
        yield from _differences(tensors, inputs, f"{name}'s inputs")
        if any(tensor.is_variable for tensor in graph.tensors):
            yield f"the {name} has variables, which is not supported"
    condition, body = graphs
    assert condition is not None and body is not None
    results = [condition.tensors[index] for index in condition.outputs]
    if [(each.dtype, each.count) for each in results] != [(DType.BOOL, 1)]:
        yield "the condition's outputs are not a single bool"
    results = [body.tensors[index] for index in body.outputs]
    yield from _differences(results, inputs, "body's outputs")


def _graph(view: NodeView, number: int) -> Graph | None:
    others = view.graph.others
    return others[number - 1] if 1 <= number <= len(others) else None


def _differences(found: Sequence[Tensor], expected: Sequence[Tensor], what: str) -> Iterator[str]:
    """Loop variables have the same type, size and quantization everywhere."""
    if len(found) != len(expected):
        yield f"the {what} are {len(found)}, expected {len(expected)} as the node's inputs"
        return
    for tensor, other in zip(found, expected, strict=True):
        if (tensor.dtype, tensor.shape) != (other.dtype, other.shape):
            yield (
                f"of the {what} tensor {tensor} is {tensor.dtype} {list(tensor.shape)}, expected "
                f"{other.dtype} {list(other.shape)} as the node's input {other}"
            )


def prepare(view: NodeView) -> Work:
    """The loop variables live in the outputs."""
    return Work(
        params=NoParams(),
        inputs=tuple(tensor.index for tensor in view.inputs if tensor is not None),
        outputs=tuple(tensor.index for tensor in view.outputs),
        calls=calls(view),
    )
