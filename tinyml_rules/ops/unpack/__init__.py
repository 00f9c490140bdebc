"""UNPACK: the slices along an axis, each a tensor without that axis."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from tinyml_rules.ir.buffers import Place
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.operands import alike, movable
from tinyml_rules.ops._shared.operator import Meaning, Op, Role
from tinyml_rules.ops._shared.quantization import moves
from tinyml_rules.ops._shared.stacking import StackAttrs, check_stack, stack_places

OPERANDS = {"input": movable(), "output": alike("input")}


def check(view: NodeView) -> Iterator[str]:
    """Outputs of one shape."""
    return check_stack(view, whole=view["input"], parts=view.outputs)


def layout(view: NodeView) -> Iterable[Place]:
    """Each output from its index along the axis."""
    return stack_places(view, whole=view["input"], parts=view.outputs)


def oracle(view: NodeView, values: Mapping[int, Array]) -> tuple[Array, ...]:
    """numpy's own."""
    attrs = view.node.attrs
    assert isinstance(attrs, StackAttrs)
    along = np.moveaxis(values[view["input"].index], attrs.axis, 0)
    return tuple(np.array(each) for each in along)


OP = Op(
    name="unpack",
    builtin_code=88,
    options_type=64,
    attrs=StackAttrs,
    inputs=("input",),
    outputs=("output+",),
    summary="any type; any axis; along the outermost one free",
    role=Role.LAYOUT,
    layout=layout,
    meanings=(Meaning(operands=OPERANDS, check=check, oracle=oracle),),
    quantization=moves(int16_version=4),
)
