"""MAX_POOL_2D in numpy: the largest of the cells that lie inside the image."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tinyml_rules.arithmetic.fixed_point import INT8_MIN
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.in_numpy import bounds, ends_of, within
from tinyml_rules.ops._shared.pooling import Attrs, slidings
from tinyml_rules.ops._shared.spatial import patches


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor."""
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    image = values[view["input"].index].astype(np.int64)
    windows = patches(image, *slidings(view), output=view.output, fill=INT8_MIN)
    largest = windows.max(axis=(3, 4))
    return np.asarray(np.clip(largest, *bounds(view.output, attrs.activation)), np.int8)


def oracle_of_real(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The same of real numbers; what is no number is passed over, as in TFLM."""
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    image = values[view["input"].index].astype(np.float32)
    least, _ = ends_of(image.dtype)
    windows = patches(image, *slidings(view), output=view.output, fill=least)
    largest = np.fmax.reduce(windows, axis=(3, 4), initial=least)
    return within(largest, attrs.activation, DType.FLOAT32)
