"""A window over time that lives on is one buffer.

Converters of streaming models write it as a variable: READ_VARIABLE has the rows of the past,
CONCATENATION appends the new ones, and ASSIGN_VARIABLE keeps the last rows, which STRIDED_SLICE
takes.  Afterwards what is joined is the variable, and one node moves its rows down and appends the
new ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from tinyml_rules.ir.graph import Array, Graph, Node, NodeView, Tensor
from tinyml_rules.ops._shared.operator import Handling, Operators
from tinyml_rules.passes.uses import Uses

SHIFT_IN = "shift_in"


@dataclass(frozen=True)
class _Window:
    """The nodes of a window in the order in which they run, and the tensors: the variable, the new
    rows, and all rows."""

    read: Node
    join: Node
    cut: Node
    assign: Node
    kept: Tensor
    added: Tensor
    joined: Tensor


def keep_windows(graph: Graph, operators: Operators) -> Graph:
    """The graph with one node and one variable for each window of which nothing else is read."""
    windows = list(_windows(graph, operators))
    if not windows:
        return graph
    tensors = list(graph.tensors)
    made: dict[int, Node] = {}
    gone: set[int] = set()
    for each in windows:
        tensors[each.joined.index] = replace(
            each.joined, is_variable=True, initial=_initial(each)
        )
        tensors[each.kept.index] = replace(each.kept, is_variable=False, initial=None)
        made[each.join.index] = replace(
            each.join, op=SHIFT_IN, version=1, inputs=(each.added.index,), attrs=None
        )
        gone |= {each.read.index, each.cut.index, each.assign.index}
    nodes = (made.get(node.index, node) for node in graph.nodes if node.index not in gone)
    return replace(graph, tensors=tuple(tensors), nodes=tuple(nodes))


def _initial(window: _Window) -> Array:
    """The rows that are kept at first come last; those before them are never read."""
    kept = window.kept
    values = kept.initial
    if values is None:
        values = np.full(kept.shape, kept.first_value, kept.dtype.numpy)
    before = np.full(window.added.count, values.reshape(-1)[0], values.dtype)
    return np.concatenate([before, values.reshape(-1)]).reshape(window.joined.shape)


def _windows(graph: Graph, operators: Operators) -> Iterator[_Window]:
    uses = Uses(graph)
    for assign in graph.nodes:
        if operators[assign.op].handling is Handling.ASSIGNS:
            found = _window(graph, assign, uses)
            if found is not None and _is_window(graph, found, uses, operators):
                yield found


def _window(graph: Graph, assign: Node, uses: Uses) -> _Window | None:
    """The nodes that end in the one that assigns, whatever they do."""
    variable, value = assign.inputs
    cut = None if value is None else uses.maker_of(value)
    join = None if cut is None else uses.maker_of_input(cut)
    if variable is None or cut is None or join is None or len(join.inputs) != 2:
        return None
    read, (_, added) = uses.maker_of_input(join), join.inputs
    if read is None or added is None or read.inputs[0] != variable:
        return None
    tensors = graph.tensors
    return _Window(
        read, join, cut, assign, tensors[variable], tensors[added], tensors[join.outputs[0]]
    )


def _is_window(graph: Graph, window: _Window, uses: Uses, operators: Operators) -> bool:
    """Whether one node can do what the four do, of which no other node sees a part."""
    is_alone = (
        operators[window.read.op].handling is Handling.READS
        and uses.reads_of(window.kept.index) == len((window.read, window.assign))
        and uses.is_read_once(window.read)
        and uses.is_read_once(window.cut)
        and window.joined.index not in graph.outputs
    )
    begun = graph.nodes.index(window.join)
    between = graph.nodes[begun : graph.nodes.index(window.assign)]
    may_end = (operators[each.op].meaning(NodeView(graph, each)).may_end for each in between)
    return is_alone and not any(may_end) and _is_shift(graph, window, operators)


def _is_shift(graph: Graph, window: _Window, operators: Operators) -> bool:
    """Whether the new rows are appended and the last rows kept, asked with the numbers of the
    elements as values."""
    if any(operators[each.op].layout is None for each in (window.join, window.cut)):
        return False
    kept, added, joined = window.kept, window.added, window.joined
    numbers = np.arange(joined.count)
    values = {
        window.read.outputs[0]: numbers[: kept.count].reshape(kept.shape),
        added.index: numbers[kept.count :].reshape(added.shape),
    }
    (rows,) = operators[window.join.op].evaluate(NodeView(graph, window.join), values)
    values = {joined.index: rows}
    (last,) = operators[window.cut.op].evaluate(NodeView(graph, window.cut), values)
    is_appended = np.array_equal(rows.reshape(-1), numbers)
    return is_appended and np.array_equal(last.reshape(-1), numbers[added.count :])
