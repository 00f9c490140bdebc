"""CONCATENATION: options, what may be wrong with a node, and where each input goes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from tinyml_rules.arithmetic.fixed_point import Activation
from tinyml_rules.ir.buffers import Place
from tinyml_rules.ir.graph import Array, NodeView, Tensor
from tinyml_rules.ir.options import option
from tinyml_rules.ops._shared import constraints
from tinyml_rules.ops._shared.moves import parts_along
from tinyml_rules.ops._shared.moving import check_axis, moved, plain_axis


@dataclass(frozen=True)
class Attrs:
    """ConcatenationOptions."""

    axis: int = option(0, "int32")
    activation: int = option(1, "int8")


def check(view: NodeView) -> Iterator[str]:
    """One type, one quantization, shapes that differ along the axis alone."""
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    sources, result = _sources(view), view.output
    yield from moved(sources, (result,))
    if attrs.activation != Activation.NONE:
        is_known = attrs.activation in tuple(Activation)
        name = Activation(attrs.activation).name if is_known else attrs.activation
        yield f"fused activation {name}, expected none"
    rank = len(sources[0].shape)
    wrong = list(check_axis(attrs.axis, rank))
    yield from wrong
    if wrong:
        return
    axis = plain_axis(attrs.axis, rank)
    for source in sources[1:]:
        if _without(source.shape, axis) != _without(sources[0].shape, axis):
            yield (
                f"input tensor {source} has shape {list(source.shape)}, "
                f"expected that of tensor {sources[0]}, {list(sources[0].shape)}, "
                f"in all dimensions but {axis}"
            )
            return
    joined = [*sources[0].shape]
    joined[axis] = sum(source.shape[axis] for source in sources)
    yield from constraints.shaped(result, tuple(joined))


def _sources(view: NodeView) -> tuple[Tensor, ...]:
    return tuple(view.input(position) for position in range(len(view.node.inputs)))


def _without(shape: tuple[int, ...], axis: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    return shape[:axis], shape[axis + 1 :]


def layout(view: NodeView) -> Iterator[Place]:
    """Each input behind the one before it."""
    attrs, result = view.node.attrs, view.output
    assert isinstance(attrs, Attrs)
    axis = plain_axis(attrs.axis, len(result.shape))
    return (each.turned for each in parts_along(result, _sources(view), axis=axis))


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """numpy's own."""
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    return np.concatenate([values[source.index] for source in _sources(view)], attrs.axis)
