"""AVERAGE_POOL_2D in numpy: the rounded mean of the cells that lie inside the image."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.in_numpy import bounds
from tinyml_rules.ops._shared.pooling import Attrs, slidings
from tinyml_rules.ops._shared.spatial import patches


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor; ties are rounded away from zero."""
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    image = values[view.input(0).index].astype(np.int64)
    sums = patches(image, *slidings(view), output=view.output, fill=0).sum(axis=(3, 4))
    inside = np.ones_like(image)
    counts = patches(inside, *slidings(view), output=view.output, fill=0).sum(axis=(3, 4))
    magnitudes = (np.abs(sums) + counts // 2) // counts
    averages = np.where(sums > 0, magnitudes, -magnitudes)
    return np.asarray(np.clip(averages, *bounds(view.output, attrs.activation)), np.int8)
