"""Graph -> intervals: bounds for every element of every 8-bit tensor, for all inputs.

It starts with all values at the graph's inputs, and goes node by node: by the operators' own
intervals, by tables of those that map each value on its own, and by moving both bounds.  Other
tensors can have any value.
"""

from __future__ import annotations

import numpy as np

from tinyml_rules.ir.graph import Array, Graph, NodeView, Tensor
from tinyml_rules.ops._shared.interval import (
    MOST_ELEMENTS,
    MOST_MACS,
    NARROW,
    Interval,
    Intervals,
    full_range,
)
from tinyml_rules.ops._shared.operator import Op, Operators, Role
from tinyml_rules.ops.lookup import every_byte
from tinyml_rules.ranges.every_value import of_every_value


def ranges(graph: Graph, operators: Operators) -> Intervals:
    """Of every tensor of a checked graph with a type of 8 bits, constants included, but for those
    that are computed and so large that no part holds them."""
    found: dict[int, Interval] = {}
    for tensor in graph.tensors:
        if tensor.dtype not in NARROW:
            continue
        is_known = tensor.data is not None and not tensor.unread
        data = tensor.data if is_known else None
        if data is not None:
            found[tensor.index] = Interval(data, data)
        elif tensor.count <= MOST_ELEMENTS:
            found[tensor.index] = full_range(tensor)
    for node in graph.nodes:
        view = NodeView(graph, node)
        is_followed = _has_intervals(view) and not is_too_large(view, operators)
        intervals = _intervals(view, operators, found) if is_followed else None
        found.update(zip(node.outputs, intervals or (), strict=False))
    return found


def is_too_large(view: NodeView, operators: Operators) -> bool:
    """Whether bounds of a node would take too long: too many products or elements."""
    macs = operators[view.node.op].macs
    return _has_intervals(view) and (
        sum(tensor.count for tensor in _computed(view)) > MOST_ELEMENTS
        or (macs is not None and macs(view) > MOST_MACS)
    )


def _has_intervals(view: NodeView) -> bool:
    """Whether the outputs have 8 bits and the node keeps no values between inferences."""
    return all(each.dtype in NARROW and not each.is_variable for each in _computed(view))


def _computed(view: NodeView) -> list[Tensor]:
    tensors = (*view.inputs, *view.outputs)
    return [tensor for tensor in tensors if tensor is not None and not tensor.is_constant]


def _intervals(
    view: NodeView, operators: Operators, found: Intervals
) -> tuple[Interval, ...] | None:
    """The bounds of every output of a node; None if they can be anything."""
    op = operators[view.node.op]
    of_meaning = op.meaning(view).interval
    if of_meaning is not None:
        interval = of_meaning(view, found)
        return None if interval is None else (interval,)
    if op.role is Role.LAYOUT:
        return _moved(view, op, found)
    return _mapped(view, operators, found) if op.is_map(view) else None


def _moved(view: NodeView, op: Op, found: Intervals) -> tuple[Interval, ...] | None:
    """Both bounds moved as a layout moves all values; None if that depends on computed values."""
    places = None if op.layout is None else op.layout(view)
    if places is None or any(place.start is not None for place in places):
        return None
    inputs = [tensor.index for tensor in view.inputs if tensor and tensor.index in found]
    low = op.evaluate(view, {index: found[index].low for index in inputs})
    high = op.evaluate(view, {index: found[index].high for index in inputs})
    return tuple(Interval(*ends) for ends in zip(low, high, strict=True))


def _mapped(view: NodeView, operators: Operators, found: Intervals) -> tuple[Interval] | None:
    """The ends of a table over the interval of each value."""
    computed = {each.index: each for each in view.inputs if each and not each.is_constant}
    if len(computed) != 1 or len(view.outputs) != 1:
        return None
    ((index, source),) = computed.items()
    bytes_ = every_byte(source.dtype)
    table = of_every_value(view.graph, [view.node], source, operators)
    values, places = np.unique(bytes_, return_index=True)
    least, most = _extremes(table[places])
    low, high = (
        np.searchsorted(values, end).reshape(view.output.shape)
        for end in (found[index].low, found[index].high)
    )
    return (Interval(least[low, high], most[low, high]),)


def _extremes(table: Array) -> tuple[Array, Array]:
    """[first][last] -> the least and the greatest value of a table from one entry to another."""
    count = len(table)
    least, most = (np.empty((count, count), table.dtype) for _ in range(2))
    for first in range(count):
        least[first, first:] = np.minimum.accumulate(table[first:])
        most[first, first:] = np.maximum.accumulate(table[first:])
    return least, most
