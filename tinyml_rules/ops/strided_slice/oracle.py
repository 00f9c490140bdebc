"""STRIDED_SLICE in numpy, with Python's own slices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops.strided_slice.op import Attrs


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """An index where an axis is shrunk, None where one is new, a slice elsewhere."""
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    begins, ends, strides = (values[view.input(position).index].tolist() for position in (1, 2, 3))
    places: list[Any] = []
    for number, (begin, end, stride) in enumerate(zip(begins, ends, strides, strict=True)):
        if attrs.ellipsis_mask >> number & 1:
            places.append(...)
            continue
        if attrs.new_axis_mask >> number & 1:
            places.append(None)
            continue
        if attrs.shrink_axis_mask >> number & 1:
            is_first = attrs.begin_mask >> number & 1
            places.append(0 if is_first else begin)
            continue
        start = None if attrs.begin_mask >> number & 1 else begin
        stop = None if attrs.end_mask >> number & 1 else end
        places.append(slice(start, stop, stride))
    return np.array(values[view.input(0).index][tuple(places)])
