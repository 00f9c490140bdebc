"""A window over time that lives on is one buffer.

Converters of streaming models write it as a variable: READ_VARIABLE has the rows of the past,
CONCATENATION appends the new ones, and ASSIGN_VARIABLE keeps the last rows; STRIDED_SLICE drops the
oldest ones, before that or after it.  Afterwards what is joined is the variable, and one node moves
its rows down and appends the new ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from tinyml_rules.ir.graph import Array, Graph, Node, NodeView, Tensor
from tinyml_rules.ops._shared.operator import Handling, Operators
from tinyml_rules.passes.uses import Uses

SHIFT_IN = "shift_in"


@dataclass(frozen=True)
class _Window:
    """`moves`: the nodes between those that read and assign the variable, in the order in which
    they run; one of them is `join`, which appends `added`."""

    read: Node
    moves: tuple[Node, ...]
    assign: Node
    join: Node
    variable: Tensor
    added: Tensor
    joined: Tensor

    @property
    def others(self) -> tuple[Node, ...]:
        """Those that one node replaces, without the one that joins."""
        moves = (each for each in self.moves if each.index != self.join.index)
        return (self.read, *moves, self.assign)

    @property
    def past(self) -> int:
        """How many of the joined elements are from the variable: its last ones."""
        return self.joined.count - self.added.count


def keep_windows(graph: Graph, operators: Operators) -> Graph:
    """The graph with one node and one variable for each window of which nothing else is read."""
    windows = list(_windows(graph, operators))
    tensors = list(graph.tensors)
    made: dict[int, Node] = {}
    gone: set[int] = set()
    for each in windows:
        tensors[each.joined.index] = replace(each.joined, is_variable=True, initial=_initial(each))
        tensors[each.variable.index] = replace(each.variable, is_variable=False, initial=None)
        made[each.join.index] = replace(
            each.join, op=SHIFT_IN, version=1, inputs=(each.added.index,), attrs=None
        )
        gone.update(node.index for node in each.others)
    nodes = (made.get(node.index, node) for node in graph.nodes if node.index not in gone)
    return replace(graph, tensors=tuple(tensors), nodes=tuple(nodes))


def _initial(window: _Window) -> Array:
    """Those of the variable's first values that the first inference reads come last; what is
    before them is never read."""
    variable = window.variable
    values = variable.initial
    if values is None:
        values = np.full(variable.shape, variable.first_value, variable.dtype.numpy)
    past = values.reshape(-1)[variable.count - window.past :]
    before = np.full(window.added.count, past[0], values.dtype)
    return np.concatenate([before, past]).reshape(window.joined.shape)


def _windows(graph: Graph, operators: Operators) -> Iterator[_Window]:
    uses = Uses(graph)
    for assign in graph.nodes:
        if operators[assign.op].handling is Handling.ASSIGNS:
            found = _window(graph, assign, uses, operators)
            if found is not None and _is_kept(graph, found, uses, operators):
                yield found


def _window(graph: Graph, assign: Node, uses: Uses, operators: Operators) -> _Window | None:
    """The nodes that end in the one that assigns, if they only move what the variable had."""
    chain = list(_chain(assign, uses, operators))
    *moves, read = chain or [assign]
    joins = [each for each in moves if len(_moved(graph, each)) == 2]
    if operators[read.op].handling is not Handling.READS or len(joins) != 1:
        return None
    (join,) = joins
    first, added = _moved(graph, join)
    if read.inputs[0] != assign.inputs[0] or first.index != join.inputs[0]:
        return None
    variable, joined = (graph.tensors[each] for each in (read.inputs[0] or 0, join.outputs[0]))
    return _Window(read, tuple(reversed(moves)), assign, join, variable, added, joined)


def _chain(assign: Node, uses: Uses, operators: Operators) -> Iterator[Node]:
    """From what is assigned upwards, each the maker of the first input of the one before."""
    value = assign.inputs[1]
    while value is not None and (node := uses.maker_of(value)) is not None:
        if operators[node.op].layout is None or len(node.outputs) > 1:
            return
        yield node
        if operators[node.op].handling is Handling.READS:
            return
        value = node.inputs[0]


def _moved(graph: Graph, node: Node) -> list[Tensor]:
    """The inputs that are no constants of parameters."""
    found = (each for each in NodeView(graph, node).inputs if each is not None)
    return [each for each in found if not each.is_constant]


def _is_kept(graph: Graph, window: _Window, uses: Uses, operators: Operators) -> bool:
    """Whether one node can do what these do, of which no other node sees a part."""
    between = (window.read, *window.moves)
    begun = graph.nodes.index(window.join)
    passed = graph.nodes[begun : graph.nodes.index(window.assign)]
    return (
        uses.reads_of(window.variable.index) == len((window.read, window.assign))
        and all(uses.is_read_once(each) for each in between if each.index != window.join.index)
        and window.joined.index not in graph.outputs
        and window.past > 0
        and not any(operators[each.op].meaning(NodeView(graph, each)).may_end for each in passed)
        and _is_shift(graph, window, operators)
    )


def _is_shift(graph: Graph, window: _Window, operators: Operators) -> bool:
    """Whether what is joined are the last elements of the variable and the added ones, and the last
    of these are assigned: asked with the numbers of the elements as values."""
    variable, added, joined = window.variable, window.added, window.joined
    numbers = np.arange(variable.count + added.count)
    values: dict[int, Array] = {
        window.read.outputs[0]: numbers[: variable.count].reshape(variable.shape),
        added.index: numbers[variable.count :].reshape(added.shape),
    }
    for node in window.moves:
        values[node.outputs[0]] = _run(graph, node, values, operators)
    assigned = values[window.moves[-1].outputs[0]]
    rows = values[joined.index].reshape(-1)
    is_appended = np.array_equal(rows, numbers[numbers.size - rows.size :])
    return is_appended and np.array_equal(assigned.reshape(-1), numbers[added.count :])


def _run(graph: Graph, node: Node, values: Mapping[int, Array], operators: Operators) -> Array:
    (found,) = operators[node.op].evaluate(NodeView(graph, node), values)
    return found
