"""SPACE_TO_DEPTH: a block of pixels becomes the channels of one pixel."""

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
from tinyml_rules.ops._shared.quantization import MOVES


def check(view: NodeView) -> Iterator[str]:
    """Whole blocks, and the shape that follows."""
    return check_depth(view, flat=view["input"], deep=view.output)


def layout(view: NodeView) -> tuple[Place]:
    """One copy."""
    return (depth_place(view, flat=view["input"], deep=view.output),)


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """Every n-th row and column of a block offset, next to each other as channels."""
    attrs, source = view.node.attrs, values[view["input"].index]
    assert isinstance(attrs, Attrs)
    size = attrs.size
    offsets = np.ndindex(size, size)
    return np.concatenate([source[:, y::size, x::size] for y, x in offsets], axis=-1)


OP = Op(
    name="space_to_depth",
    builtin_code=26,
    options_type=19,
    attrs=BlockAttrs,
    inputs=("input",),
    options=check_options,
    summary="any type; 4 dimensions",
    role=Role.LAYOUT,
    layout=layout,
    meanings=(Meaning(operands=DEPTH, check=check, oracle=oracle),),
    quantization=replace(MOVES, has_int16=False),
)
