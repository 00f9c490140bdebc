"""DEPTH_TO_SPACE: the channels of a pixel become a block of pixels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from tinyml_rules.ir.buffers import Place
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.depth import (
    DEPTH,
    BlockAttrs,
    check_depth,
    check_options,
    depth_place,
)
from tinyml_rules.ops._shared.depth import BlockAttrs as Attrs
from tinyml_rules.ops._shared.operator import Meaning, Op, Role
from tinyml_rules.ops._shared.quantization import MOVES_FIRST_VERSION


def check(view: NodeView) -> Iterator[str]:
    """An image of whole blocks, and the shape that follows."""
    return check_depth(view, flat=view.output, deep=view["input"])


def layout(view: NodeView) -> tuple[Place]:
    """One copy."""
    return (depth_place(view, flat=view.output, deep=view["input"]).turned,)


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The channels of a block offset become every n-th row and column."""
    attrs, source = view.node.attrs, values[view["input"].index]
    assert isinstance(attrs, Attrs)
    size, found = attrs.size, np.zeros(view.output.shape, source.dtype)
    parts = np.split(source, size**2, axis=-1)
    for part, (y, x) in zip(parts, np.ndindex(size, size), strict=True):
        found[:, y::size, x::size] = part
    return found


OP = Op(
    name="depth_to_space",
    builtin_code=5,
    options_type=94,
    attrs=BlockAttrs,
    inputs=("input",),
    options=check_options,
    summary="any type; 4 dimensions",
    role=Role.LAYOUT,
    layout=layout,
    meanings=(Meaning(operands=DEPTH, check=check, oracle=oracle),),
    quantization=replace(MOVES_FIRST_VERSION, has_int16=False),
)
