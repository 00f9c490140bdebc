"""AVERAGE_POOL_2D in numpy: the rounded mean of the cells that lie inside the image."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.in_numpy import bounds, within
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
    return np.asarray(np.clip(averages, *bounds(view.output, attrs.activation)), np.int8)


def oracle_of_real(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The same of real numbers: cell after cell in float32, and one quotient."""
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    image = values[view["input"].index].astype(np.float32)
    sums, counts = (
        _added_up(patches(each, *slidings(view), output=view.output, fill=0))
        for each in (image, np.ones_like(image))
    )
    return within(sums / counts, attrs.activation, DType.FLOAT32)


def _added_up(windows: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The sums of windows [batch, height, width, rows, columns, channels] in the order of C, which
    begins with 0; a cell that holds 0 changes none."""
    cells = windows.reshape(*windows.shape[:3], -1, windows.shape[5])
    with np.errstate(over="ignore", invalid="ignore"):
        return np.add.accumulate(cells, axis=3)[:, :, :, -1] + np.float32(0)
