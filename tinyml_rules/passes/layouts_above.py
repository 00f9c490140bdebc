"""Which elements of another tensor a tensor has, where nodes only moved them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tinyml_rules.ir.graph import Array, Graph, Node, NodeView, Tensor
from tinyml_rules.ops._shared.operator import Operators, Role
from tinyml_rules.passes.uses import Uses


@dataclass(frozen=True)
class Part:
    """A box of a tensor: the first index and the number of indices along each axis."""

    whole: Tensor
    begin: tuple[int, ...]
    shape: tuple[int, ...]

    @property
    def count(self) -> int:
        """Number of elements."""
        return int(np.prod(self.shape))


def parts_of(
    graph: Graph, tensors: Sequence[int], uses: Uses, operators: Operators
) -> list[Part] | None:
    """Each as a part of the nearest tensor that all of them are parts of; None without one."""
    chains = [dict(_above(graph, each, uses, operators)) for each in tensors]
    for whole in chains[0]:
        if all(whole in chain for chain in chains):
            parts = [_part(graph.tensors[whole], chain[whole], operators) for chain in chains]
            found = [each for each in parts if each is not None]
            return found if len(found) == len(parts) else None
    return None


_Steps = tuple[tuple[NodeView, int], ...]
"""Nodes in the order in which they run, and which output of each goes on."""


def _above(
    graph: Graph, tensor: int, uses: Uses, operators: Operators
) -> Iterator[tuple[int, _Steps]]:
    """The tensor itself, then the one that its elements were moved from, and so on; and what
    moved them."""
    steps: _Steps = ()
    while True:
        yield tensor, steps
        maker = uses.maker_of(tensor)
        if maker is None or operators[maker.op].layout is None:
            return
        view = NodeView(graph, maker)
        moved = [each for each in view.inputs if each is not None and not each.is_constant]
        if len(moved) != 1 or not _is_steady(graph, maker, moved[0], operators):
            return
        steps = ((view, maker.outputs.index(tensor)), *steps)
        tensor = moved[0].index


def _is_steady(graph: Graph, reader: Node, tensor: Tensor, operators: Operators) -> bool:
    """Whether a tensor keeps what a node reads of it to the end: only one that makes it before
    writes it."""
    if not tensor.is_variable:
        return True
    place = graph.nodes.index(reader)
    writers = [
        (tensor.index in node.outputs, at < place)
        for at, node in enumerate(graph.nodes)
        if tensor.index in node.outputs
        or (operators[node.op].role is Role.EFFECT and tensor.index in node.inputs)
    ]
    return writers == [(True, True)]


def _part(whole: Tensor, steps: _Steps, operators: Operators) -> Part | None:
    """The box that is left, asked with the numbers of the elements as values; None for elements
    that are none."""
    every = np.arange(whole.count).reshape(whole.shape)
    numbers: Array = every
    for view, output in steps:
        (source,) = (each for each in view.inputs if each is not None and not each.is_constant)
        numbers = operators[view.node.op].evaluate(view, {source.index: numbers})[output]
    if numbers.ndim != every.ndim or not numbers.size:
        return None
    begin = tuple(int(each) for each in np.unravel_index(numbers.reshape(-1)[0], every.shape))
    box = tuple(slice(at, at + size) for at, size in zip(begin, numbers.shape, strict=True))
    return Part(whole, begin, numbers.shape) if np.array_equal(every[box], numbers) else None
