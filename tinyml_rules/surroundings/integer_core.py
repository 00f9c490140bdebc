"""The condition of the option `partition`: only integers between the conversions at the model's
ends.

It runs after `partition_conversions`, which cuts those off, and after the passes that replace float
islands by tables.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from tinyml_rules.errors import Problem, UnsupportedError
from tinyml_rules.ir.graph import Graph, NodeView, Tensor

_HINT = (
    "quantize these operators as well, with full-integer int8 quantization; or compile without "
    "partition, which runs them in real numbers; docs/how-to/partition.md"
)


def check_integer_core(graphs: Iterable[Graph]) -> None:
    """Raise UnsupportedError that names every node of the graphs which reads or makes real numbers,
    with one hint after the last."""
    problems = [problem for graph in graphs for problem in _of_reals(graph)]
    if problems:
        raise UnsupportedError([*problems[:-1], replace(problems[-1], hint=_HINT)])


def _of_reals(graph: Graph) -> Iterator[Problem]:
    for node in graph.nodes:
        tensor = _first_real(NodeView(graph, node))
        if tensor is not None:
            what = f"tensor {tensor} is {tensor.dtype}, and partition expects a core of integers"
            yield Problem(graph.where(node), what)


def _first_real(view: NodeView) -> Tensor | None:
    tensors = (*view.inputs, *view.outputs)
    return next((each for each in tensors if each is not None and each.dtype.is_real), None)
