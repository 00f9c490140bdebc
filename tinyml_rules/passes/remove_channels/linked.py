"""How the output channels of a node depend on its input channels, for nodes that can lose some."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from tinyml_rules.ir.graph import NodeView
from tinyml_rules.ops._shared.accumulate import bias_of
from tinyml_rules.ops._shared.channels import Channels, same_channels
from tinyml_rules.ops._shared.interval import NARROW
from tinyml_rules.ops._shared.moves import run_of
from tinyml_rules.ops._shared.operator import Operators, Role


@dataclass(frozen=True, eq=False)
class Linked:
    """A node with one output, made of the tensor `source`, its first input."""

    view: NodeView
    channels: Channels

    @cached_property
    def source(self) -> int:
        """The tensor."""
        return self.view.input(0).index

    @cached_property
    def is_used(self) -> npt.NDArray[np.bool_]:
        """[output][input channel]: whether a weight is not 0."""
        assert self.channels.weights is not None
        return np.asarray((self.channels.weights != 0).any(axis=1))

    @cached_property
    def sums(self) -> npt.NDArray[np.int64]:
        """[output][input channel]: the sum of its weights."""
        assert self.channels.weights is not None
        return np.asarray(self.channels.weights.sum(axis=1), np.int64)

    @cached_property
    def bias(self) -> npt.NDArray[np.int64]:
        """The bias of every output, 0 if the node has none."""
        return bias_of(self.view.optional_input(2), self.view.output.shape[-1])


def linked(view: NodeView, operators: Operators) -> Linked | None:
    """The node, if its channels are known: declared by its operator, a map, or a change of
    shape."""
    if len(view.outputs) != 1 or not view.inputs or view.inputs[0] is None:
        return None
    source, result = view.input(0), view.output
    is_plain = not (source.is_constant or source.is_variable or result.is_variable)
    has_channels = bool(source.shape and result.shape)
    if not is_plain or not has_channels or not {source.dtype, result.dtype} <= {*NARROW}:
        return None
    found = _channels(view, operators)
    return None if found is None else Linked(view, found)


def _channels(view: NodeView, operators: Operators) -> Channels | None:
    op, source, result = operators[view.node.op], view.input(0), view.output
    if op.role is Role.LAYOUT:
        return op.channels(view) or _of_other_shape(view, operators)
    if op.role is not Role.COMPUTE:
        return None
    if op.is_map(view):
        others = (each for each in view.inputs[1:] if each is not None)
        is_alone = all(each.is_constant for each in others)
        is_same = source.shape[-1] == result.shape[-1]
        return same_channels(view) if is_alone and is_same else None
    return op.channels(view)


def _of_other_shape(view: NodeView, operators: Operators) -> Channels | None:
    """A change of shape that keeps the order of elements, with as many channels per pixel or a
    multiple."""
    op, source, result = operators[view.node.op], view.input(0), view.output
    places = tuple(op.layout(view) or ()) if op.layout is not None else ()
    if len(places) != 1 or result.shape[-1] % source.shape[-1]:
        return None
    (place,) = places
    is_all = run_of(place) == source.count == result.count and place.source == source.index
    if not is_all:
        return None
    return Channels(np.arange(result.shape[-1], dtype=np.int64) % source.shape[-1])
