"""PACK: tensors of one shape, one after the other along a new axis."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from tinyml_rules.ir.buffers import Place
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.operands import alike, movable
from tinyml_rules.ops._shared.operator import Meaning, Op, Role
from tinyml_rules.ops._shared.quantization import moves
from tinyml_rules.ops._shared.stacking import StackAttrs, check_stack, stack_places

OPERANDS = {"input": alike("output"), "output": movable()}


def check(view: NodeView) -> Iterator[str]:
    """Inputs of one shape."""
    return check_stack(view, whole=view.output, parts=view.each("input"))


def layout(view: NodeView) -> Iterable[Place]:
    """Each input at its index along the axis."""
    taken = stack_places(view, whole=view.output, parts=view.each("input"))
    return (place.turned for place in taken)


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """numpy's own."""
    attrs = view.node.attrs
    assert isinstance(attrs, StackAttrs)
    return np.stack([values[source.index] for source in view.each("input")], attrs.axis)


OP = Op(
    name="pack",
    builtin_code=83,
    options_type=59,
    attrs=StackAttrs,
    inputs=("input+",),
    summary="any type; any axis; along the outermost one free",
    role=Role.LAYOUT,
    layout=layout,
    meanings=(Meaning(operands=OPERANDS, check=check, oracle=oracle),),
    quantization=moves(int16_version=3),
)
