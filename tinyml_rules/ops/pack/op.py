"""PACK: what may be wrong with a node, and where each input goes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from tinyml_rules.ir.buffers import Place
from tinyml_rules.ir.graph import Array, NodeView, Tensor
from tinyml_rules.ops._shared.moving import moved
from tinyml_rules.ops._shared.stacking import StackAttrs, check_stack, stack_places


def check(view: NodeView) -> Iterator[str]:
    """One type, one quantization, one shape."""
    yield from moved(_sources(view), (view.output,))
    yield from check_stack(view, whole=view.output, parts=_sources(view))


def _sources(view: NodeView) -> tuple[Tensor, ...]:
    return tuple(view.input(position) for position in range(len(view.node.inputs)))


def layout(view: NodeView) -> Iterable[Place]:
    """Each input at its place along the axis."""
    taken = stack_places(view, whole=view.output, parts=_sources(view))
    return (place.turned for place in taken)


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """numpy's own."""
    attrs = view.node.attrs
    assert isinstance(attrs, StackAttrs)
    return np.stack([values[source.index] for source in _sources(view)], attrs.axis)
