"""SPLIT_V: a tensor cut into parts of given sizes along an axis."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from tinyml_rules.ir.buffers import Place
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.options import option
from tinyml_rules.ops._shared import constraints
from tinyml_rules.ops._shared.moves import parts_along
from tinyml_rules.ops._shared.moving import check_axis, ints, plain_axis
from tinyml_rules.ops._shared.operands import alike, movable, numbers
from tinyml_rules.ops._shared.operator import Meaning, Op, Role
from tinyml_rules.ops._shared.quantization import MOVES

THE_REST = -1


@dataclass(frozen=True)
class Attrs:
    """SplitVOptions."""

    parts: int = option(0, "int32")


def check_options(view: NodeView) -> Iterator[str]:
    """As many parts as there are outputs."""
    attrs, count = view.node.attrs, len(view.outputs)
    assert isinstance(attrs, Attrs)
    if attrs.parts != count:
        yield f"{count} outputs, but the options say {attrs.parts}"


OPERANDS = {
    "input": movable(),
    "sizes": numbers(DType.INT32, DType.INT64, shape=lambda view: (len(view.outputs),)),
    "axis": numbers(count=1),
    "output": alike("input"),
}


def check(view: NodeView) -> Iterator[str]:
    """Sizes of parts that add up to the axis."""
    source, found = view["input"], list(ints(view["sizes"]))
    wrong = list(check_axis(ints(view["axis"])[0], len(source.shape)))
    yield from wrong
    if wrong:
        return
    along = _axis(view)
    whole, given = source.shape[along], [*found]
    if given.count(THE_REST) == 1:
        given[given.index(THE_REST)] = whole - sum(given) + THE_REST
    if min(given) < 0 or sum(given) != whole:
        yield f"parts of {found} do not make dimension {along} of input tensor {source}, {whole}"
        return
    for size, result in zip(given, view.outputs, strict=True):
        expected = (*source.shape[:along], size, *source.shape[along + 1 :])
        yield from constraints.shaped(result, expected)


def _axis(view: NodeView) -> int:
    return plain_axis(ints(view["axis"])[0], len(view["input"].shape))


def layout(view: NodeView) -> Iterator[Place]:
    """Each part behind the one before it."""
    return parts_along(view["input"], view.outputs, axis=_axis(view))


def oracle(view: NodeView, values: Mapping[int, Array]) -> tuple[Array, ...]:
    """numpy's own, by the places between the parts."""
    source, axis = values[view["input"].index], int(values[view["axis"].index].reshape(()))
    sizes = [result.shape[axis] for result in view.outputs]
    return tuple(map(np.array, np.split(source, np.cumsum(sizes)[:-1], axis)))


OP = Op(
    name="split_v",
    builtin_code=102,
    options_type=79,
    attrs=Attrs,
    inputs=("input", "sizes", "axis"),
    outputs=("output+",),
    options=check_options,
    summary="any type; any axis; constant sizes; along the outermost one free",
    role=Role.LAYOUT,
    layout=layout,
    meanings=(Meaning(operands=OPERANDS, check=check, oracle=oracle),),
    quantization=MOVES,
)
