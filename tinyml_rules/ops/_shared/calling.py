"""What the operators that run sub-graphs share: the graphs' inputs and outputs are those of the
node, and no graph has variables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from tinyml_rules.ir.c_struct import NoParams
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Graph, NodeView, Tensor
from tinyml_rules.ir.program import Form, Kernel, Work
from tinyml_rules.ops._shared.operator import Check, Meaning, Oracle

MOST_TURNS = 256
"""Most turns of a loop that is followed while a model is compiled."""


def graph_of(view: NodeView, number: int) -> Graph | None:
    """The sub-graph of that number; None if the file has none."""
    others = view.graph.others
    return others[number - 1] if 1 <= number <= len(others) else None


def tensors_of(graph: Graph, indices: Sequence[int]) -> list[Tensor]:
    """A graph's inputs or outputs."""
    return [graph.tensors[index] for index in indices]


def differences(
    found: Sequence[Tensor], expected: Sequence[Tensor], what: str, of_node: str
) -> Iterator[str]:
    """Tensors that are copied to each other have the same type and shape."""
    if len(found) != len(expected):
        yield f"the {what} are {len(found)}, expected {len(expected)} as the node's {of_node}s"
        return
    for tensor, other in zip(found, expected, strict=True):
        if (tensor.dtype, tensor.shape) != (other.dtype, other.shape):
            yield (
                f"of the {what} tensor {tensor} is {tensor.dtype} {list(tensor.shape)}, expected "
                f"{other.dtype} {list(other.shape)} as the node's {of_node} {other}"
            )


def check_graph(graph: Graph, name: str, inputs: Sequence[Tensor]) -> Iterator[str]:
    """The graph takes the node's inputs, and has no variables."""
    yield from differences(tensors_of(graph, graph.inputs), inputs, f"{name}'s inputs", "input")
    if any(tensor.is_variable for tensor in graph.tensors):
        yield f"the {name} has variables, which is not supported"


def call_meaning(
    name: str,
    template: Path,
    oracle: Oracle,
    *,
    check: Check,
    calls: Callable[[NodeView], tuple[int, ...]],
) -> Meaning:
    """The meaning of an operator that runs the graphs that it `calls`; loop variables are kept in
    the outputs."""
    return Meaning(
        operands={},
        check=check,
        oracle=oracle,
        prepare=lambda view: Work(
            params=NoParams(),
            inputs=tuple(tensor.index for tensor in view.inputs if tensor is not None),
            outputs=tuple(tensor.index for tensor in view.outputs),
            calls=calls(view),
        ),
        kernels=(Kernel(name=name, template=template, form=Form.CALL, runtime=("copy",)),),
    )


def is_truth(tensor: Tensor) -> bool:
    """A single bool."""
    return tensor.dtype is DType.BOOL and tensor.count == 1
