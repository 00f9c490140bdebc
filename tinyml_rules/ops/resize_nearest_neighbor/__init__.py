"""RESIZE_NEAREST_NEIGHBOR: an image of another size; each pixel is the nearest one of the input.

The nearest pixel is computed in float32, as `GetNearestNeighbor` of TFLM does.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tinyml_rules.ir.buffers import Place
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.options import option
from tinyml_rules.ops._shared.choosing import chosen
from tinyml_rules.ops._shared.moving import ints
from tinyml_rules.ops._shared.operands import alike, movable, numbers
from tinyml_rules.ops._shared.operator import Meaning, Op, Role
from tinyml_rules.ops._shared.quantization import moves
from tinyml_rules.ops._shared.spatial import RANK


@dataclass(frozen=True)
class Attrs:
    """ResizeNearestNeighborOptions."""

    align_corners: bool = option(0, "bool", default=False)
    half_pixel_centers: bool = option(1, "bool", default=False)


def _result_shape(view: NodeView) -> tuple[int, ...]:
    batches, *_, channels = view["input"].shape
    return (batches, *ints(view["size"]), channels)


OPERANDS = {
    "input": movable(ranks=range(RANK, RANK + 1)),
    "size": numbers(shape=lambda _view: (2,)),
    "output": alike("input", shape=_result_shape),
}


def layout(view: NodeView) -> tuple[Place, ...]:
    """A list of rows and one of columns."""
    attrs, source = view.node.attrs, view["input"]
    assert isinstance(attrs, Attrs)
    batches, height, width, channels = source.shape
    lists = [
        _nearest(attrs, before, after)
        for before, after in zip((height, width), ints(view["size"]), strict=True)
    ]
    return chosen(source, view.output, [range(batches), *lists, range(channels)])


def _nearest(attrs: Attrs, before: int, after: int) -> list[int]:
    """For each of the `after` output indices, one of the `before` input indices."""
    is_aligned = attrs.align_corners and after > 1
    sizes = (before - 1, after - 1) if is_aligned else (before, after)
    scale = np.float32(sizes[0]) / np.float32(sizes[1])
    shift = np.float32(0.5 if attrs.half_pixel_centers else 0.0)
    exact = [float((np.float32(place) + shift) * scale) for place in range(after)]
    whole = [math.floor(each + 0.5 if attrs.align_corners else each) for each in exact]
    return [min(each, before - 1) for each in whole]


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """numpy's indexing; places are rounded half away from zero, or down."""
    attrs, found = view.node.attrs, values[view["input"].index]
    assert isinstance(attrs, Attrs)
    one, shift = np.float32(1), np.float32(0.5) * np.float32(attrs.half_pixel_centers)
    for axis, after in enumerate(values[view["size"].index].tolist(), start=1):
        before = found.shape[axis]
        ratio = np.float32(before) / np.float32(after)
        if attrs.align_corners and after > 1:
            ratio = (np.float32(before) - one) / (np.float32(after) - one)
        places = (np.arange(after, dtype=np.float32) + shift) * ratio
        lower = np.floor(places)
        if attrs.align_corners:
            lower += places - lower >= np.float32(0.5)
        found = np.take(found, lower.astype(np.int64), axis=axis, mode="clip")
    return np.ascontiguousarray(found)


OP = Op(
    name="resize_nearest_neighbor",
    builtin_code=97,
    options_type=74,
    attrs=Attrs,
    inputs=("input", "size"),
    summary="any type; 4 dimensions; constant size; all corner options",
    role=Role.LAYOUT,
    layout=layout,
    meanings=(Meaning(operands=OPERANDS, oracle=oracle),),
    quantization=moves(int16_version=4),
)
