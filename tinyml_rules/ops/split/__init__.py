"""SPLIT: a tensor cut into equal parts along an axis, which is the first input."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from tinyml_rules.ir.buffers import Place
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.options import option
from tinyml_rules.ops._shared.moves import parts_along
from tinyml_rules.ops._shared.moving import check_axis, ints, plain_axis
from tinyml_rules.ops._shared.operands import alike, movable, numbers
from tinyml_rules.ops._shared.operator import Meaning, Op, Role
from tinyml_rules.ops._shared.quantization import moves


@dataclass(frozen=True)
class Attrs:
    """SplitOptions."""

    parts: int = option(0, "int32")


def check_options(view: NodeView) -> Iterator[str]:
    """As many parts as there are outputs."""
    attrs, count = view.node.attrs, len(view.outputs)
    assert isinstance(attrs, Attrs)
    if attrs.parts != count:
        yield f"{count} outputs, but the options say {attrs.parts}"


def check(view: NodeView) -> Iterator[str]:
    """The axis has as many equal parts as there are outputs."""
    source, count = view["input"], len(view.outputs)
    wrong = list(check_axis(ints(view["axis"])[0], len(source.shape)))
    yield from wrong
    if wrong:
        return
    size = source.shape[_axis(view)]
    if size % count:
        along = _axis(view)
        yield f"dimension {along} of input tensor {source}, {size}, has no {count} equal parts"


def _result_shape(view: NodeView) -> tuple[int, ...]:
    shape = [*view["input"].shape]
    shape[_axis(view)] //= len(view.outputs)
    return tuple(shape)


OPERANDS = {
    "axis": numbers(count=1),
    "input": movable(),
    "output": alike("input", shape=_result_shape),
}


def _axis(view: NodeView) -> int:
    (axis,) = ints(view["axis"])
    return plain_axis(axis, len(view["input"].shape))


def layout(view: NodeView) -> Iterator[Place]:
    """Each part after the one before it."""
    return parts_along(view["input"], view.outputs, axis=_axis(view))


def oracle(view: NodeView, values: Mapping[int, Array]) -> tuple[Array, ...]:
    """numpy's own."""
    axis = int(values[view["axis"].index].reshape(()))
    return tuple(np.split(values[view["input"].index], len(view.outputs), axis))


OP = Op(
    name="split",
    builtin_code=49,
    options_type=35,
    attrs=Attrs,
    inputs=("axis", "input"),
    outputs=("output+",),
    options=check_options,
    summary="any type; any axis, a constant; along the outermost one free",
    role=Role.LAYOUT,
    layout=layout,
    meanings=(Meaning(operands=OPERANDS, check=check, oracle=oracle),),
    quantization=moves(int16_version=4),
)
