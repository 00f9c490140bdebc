"""DYNAMIC_UPDATE_SLICE: what may be wrong with a node, and where its elements come from.

A begin from which the update would leave the tensor is moved inside, as TFLM does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tinyml_rules.ir.buffers import Place
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared import constraints
from tinyml_rules.ops._shared.moves import moved_part, same_elements, slice_of
from tinyml_rules.ops._shared.moving import alike, ints, moved, places, vector

OPERAND, UPDATE, BEGIN = range(3)


def check(view: NodeView) -> Iterator[str]:
    """An update that fits, and a begin for each dimension."""
    operand, update, begin = (view.input(position) for position in (OPERAND, UPDATE, BEGIN))
    yield from moved((operand,), (view.output,))
    yield from alike(update, "update", operand, "input")
    yield from constraints.shaped(view.output, operand.shape)
    rank = len(operand.shape)
    yield from places(begin, "begin")
    yield from vector(begin, "begin", rank)
    fits = len(update.shape) == rank and all(
        size <= most for size, most in zip(update.shape, operand.shape, strict=True)
    )
    if not fits:
        found, most = list(update.shape), list(operand.shape)
        yield f"update tensor {update} has shape {found}, which does not fit into {most}"


def layout(view: NodeView) -> tuple[Place, Place]:
    """The tensor, then the update over it."""
    operand, update, begin = (view.input(position) for position in (OPERAND, UPDATE, BEGIN))
    result = view.output
    if begin.data is None:
        put = moved_part(result, update, begin).turned
    else:
        rows = zip(ints(begin), result.shape, update.shape, strict=True)
        starts = [min(max(first, 0), most - size) for first, most, size in rows]
        put = slice_of(result, update, starts=starts).turned
    return same_elements(operand, result), put


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """An assignment to a slice."""
    found = values[view.input(OPERAND).index].copy()
    update, begins = (values[view.input(position).index] for position in (UPDATE, BEGIN))
    cut = []
    for begin, most, size in zip(begins.tolist(), found.shape, update.shape, strict=True):
        first = max(0, min(begin, most - size))
        cut.append(slice(first, first + size))
    found[tuple(cut)] = update
    return found
