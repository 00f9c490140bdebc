"""REVERSE_V2: the elements along axes in reverse order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from tinyml_rules.ir.buffers import Place
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.axes import axes_of, check_axes
from tinyml_rules.ops._shared.choosing import chosen
from tinyml_rules.ops._shared.operands import alike, movable, numbers
from tinyml_rules.ops._shared.operator import Meaning, Op, Role
from tinyml_rules.ops._shared.quantization import MOVES_FIRST_VERSION

OPERANDS = {"input": movable(), "axis": numbers(), "output": alike("input", shape="input")}


def check(view: NodeView) -> Iterator[str]:
    """Axes that are neighbours, which is what TFLM takes."""
    wrong, axes = list(check_axes(view)), view["axis"]
    yield from wrong
    if wrong:
        return
    found = axes_of(view)
    if len(found) < axes.count:
        yield f"axis tensor {axes} names an axis twice"
    elif found[-1] - found[0] + 1 > len(found):
        yield f"axis tensor {axes} names the axes {list(found)}, expected neighbours"


def layout(view: NodeView) -> tuple[Place, ...]:
    """Backwards along the axes."""
    source, axes = view["input"], axes_of(view)
    lists = [
        range(size - 1, -1, -1) if axis in axes else range(size)
        for axis, size in enumerate(source.shape)
    ]
    return chosen(source, view.output, lists)


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """numpy's own."""
    axes = tuple(values[view["axis"].index].reshape(-1).tolist())
    return np.ascontiguousarray(np.flip(values[view["input"].index], axes))


OP = Op(
    name="reverse_v2",
    builtin_code=105,
    options_type=81,
    inputs=("input", "axis"),
    summary="any type; any axes, constants",
    role=Role.LAYOUT,
    layout=layout,
    meanings=(Meaning(operands=OPERANDS, check=check, oracle=oracle),),
    quantization=MOVES_FIRST_VERSION,
)
