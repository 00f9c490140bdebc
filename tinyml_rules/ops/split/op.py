"""SPLIT: what may be wrong with a node, and where each part lies.  The axis is the first input."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from tinyml_rules.ir.buffers import Place
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.options import option
from tinyml_rules.ops._shared import constraints
from tinyml_rules.ops._shared.moves import parts_along
from tinyml_rules.ops._shared.moving import check_axis, ints, moved, one_number, plain_axis


@dataclass(frozen=True)
class Attrs:
    """SplitOptions."""

    parts: int = option(0, "int32")


def check(view: NodeView) -> Iterator[str]:
    """A constant axis that has as many equal parts as there are outputs."""
    attrs, axis, source = view.node.attrs, view.input(0), view.input(1)
    assert isinstance(attrs, Attrs)
    yield from moved((source,), view.outputs)
    wrong = list(one_number(axis, "axis"))
    wrong = wrong or list(check_axis(ints(axis)[0], len(source.shape)))
    yield from wrong
    count = len(view.outputs)
    if attrs.parts != count:
        yield f"{count} outputs, but the options say {attrs.parts}"
    if wrong:
        return
    along = _axis(view)
    if source.shape[along] % count:
        size = source.shape[along]
        yield f"dimension {along} of input tensor {source}, {size}, has no {count} equal parts"
        return
    shape = [*source.shape]
    shape[along] //= count
    for result in view.outputs:
        yield from constraints.shaped(result, tuple(shape))


def _axis(view: NodeView) -> int:
    (axis,) = ints(view.input(0))
    return plain_axis(axis, len(view.input(1).shape))


def layout(view: NodeView) -> Iterator[Place]:
    """Each part behind the one before it."""
    return parts_along(view.input(1), view.outputs, axis=_axis(view))


def oracle(view: NodeView, values: Mapping[int, Array]) -> tuple[Array, ...]:
    """numpy's own."""
    axis = int(values[view.input(0).index].reshape(()))
    return tuple(np.split(values[view.input(1).index], len(view.outputs), axis))
