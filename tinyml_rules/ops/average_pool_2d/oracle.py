"""AVERAGE_POOL_2D in numpy: sums of the cells inside the image, divided by their number."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tinyml_rules.arithmetic.fixed_point import INT8_MIN
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.in_numpy import bounds, sums_in_order, within
from tinyml_rules.ops._shared.pooling import Attrs, slidings
from tinyml_rules.ops._shared.spatial import patches


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor; ties are rounded away from zero."""
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    image = values[view["input"].index].astype(np.int64)
    sums = patches(image, *slidings(view), output=view.output, fill=0).sum(axis=(3, 4))
    inside = np.ones_like(image)
    counts = patches(inside, *slidings(view), output=view.output, fill=0).sum(axis=(3, 4))
    magnitudes = (np.abs(sums) + counts // 2) // counts
    averages = np.where(sums > 0, magnitudes, -magnitudes)
    clamped = np.clip(averages, *bounds(view.output, attrs.activation))
    return np.asarray(clamped, view.output.dtype.numpy)


def oracle_of_uint8(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The same as LiteRT rounds uint8: ties upwards, because no sum of its values is negative."""
    attrs, source = view.node.attrs, view["input"]
    assert isinstance(attrs, Attrs)
    image = values[source.index].astype(np.int64) - INT8_MIN
    sums, counts = (
        patches(each, *slidings(view), output=view.output, fill=0).sum(axis=(3, 4))
        for each in (image, np.ones_like(image))
    )
    averages = (sums + counts // 2) // counts + INT8_MIN
    return np.asarray(np.clip(averages, *bounds(view.output, attrs.activation)), np.int8)


def oracle_of_real(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The same in float32: cells are added one after the other, then divided once."""
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    image = values[view["input"].index].astype(np.float32)
    sums, counts = (
        sums_in_order(patches(each, *slidings(view), output=view.output, fill=0))
        for each in (image, np.ones_like(image))
    )
    return within(sums / counts, attrs.activation, DType.FLOAT32)
