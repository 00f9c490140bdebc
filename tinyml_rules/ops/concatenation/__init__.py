"""CONCATENATION: tensors one after the other along an axis."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from tinyml_rules.arithmetic.fixed_point import Activation
from tinyml_rules.ir.buffers import Place
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.options import option
from tinyml_rules.ops._shared.moves import parts_along
from tinyml_rules.ops._shared.moving import check_axis, plain_axis
from tinyml_rules.ops._shared.operands import alike, movable
from tinyml_rules.ops._shared.operator import Meaning, Op, Role
from tinyml_rules.ops._shared.quantization import moves


@dataclass(frozen=True)
class Attrs:
    """ConcatenationOptions."""

    axis: int = option(0, "int32")
    activation: int = option(1, "int8")


def check_options(view: NodeView) -> Iterator[str]:
    """No fused activation."""
    activation = _attrs(view).activation
    if activation != Activation.NONE:
        is_known = activation in tuple(Activation)
        name = Activation(activation).name if is_known else activation
        yield f"fused activation {name}, expected none"


def check(view: NodeView) -> Iterator[str]:
    """The shapes differ along the axis alone."""
    first, *others = view.each("input")
    wrong = list(check_axis(_attrs(view).axis, len(first.shape)))
    yield from wrong
    if wrong:
        return
    axis = plain_axis(_attrs(view).axis, len(first.shape))
    for source in others:
        if _without(source.shape, axis) != _without(first.shape, axis):
            yield (
                f"input tensor {source} has shape {list(source.shape)}, "
                f"expected that of tensor {first}, {list(first.shape)}, "
                f"in all dimensions but {axis}"
            )
            return


def _attrs(view: NodeView) -> Attrs:
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    return attrs


def _result_shape(view: NodeView) -> tuple[int, ...]:
    sources = view.each("input")
    joined = [*sources[0].shape]
    axis = plain_axis(_attrs(view).axis, len(joined))
    joined[axis] = sum(source.shape[axis] for source in sources)
    return tuple(joined)


OPERANDS = {"input": alike("output"), "output": movable(shape=_result_shape)}


def _without(shape: tuple[int, ...], axis: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    return shape[:axis], shape[axis + 1 :]


def layout(view: NodeView) -> Iterator[Place]:
    """Each input after the one before it."""
    attrs, result = view.node.attrs, view.output
    assert isinstance(attrs, Attrs)
    axis = plain_axis(attrs.axis, len(result.shape))
    return (each.turned for each in parts_along(result, view.each("input"), axis=axis))


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """numpy's own."""
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    return np.concatenate([values[source.index] for source in view.each("input")], attrs.axis)


OP = Op(
    name="concatenation",
    builtin_code=2,
    options_type=10,
    attrs=Attrs,
    inputs=("input+",),
    options=check_options,
    summary="any type; any axis; along the outermost one free; no fused activation",
    role=Role.LAYOUT,
    layout=layout,
    meanings=(Meaning(operands=OPERANDS, check=check, oracle=oracle),),
    quantization=moves(int16_version=3),
)
