"""STRIDED_SLICE in numpy, with Python's own slices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops.strided_slice.op import Attrs


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """None where an axis is new, a slice elsewhere, of which the first where an axis is shrunk."""
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    begins, ends, strides = (
        values[view[name].index].tolist() for name in ("begin", "end", "strides")
    )
    places: list[Any] = []
    of_result: list[Any] = []
    for number, (begin, end, stride) in enumerate(zip(begins, ends, strides, strict=True)):
        start = None if attrs.begin_mask >> number & 1 else begin
        stop = None if attrs.end_mask >> number & 1 else end
        if attrs.ellipsis_mask >> number & 1:
            places.append(...)
            of_result.append(...)
        elif attrs.new_axis_mask >> number & 1:
            places.append(None)
            of_result.append(slice(None))
        elif attrs.shrink_axis_mask >> number & 1:
            places.append(slice(start, None))  # a begin before the first place is the first
            of_result.append(0)
        else:
            places.append(slice(start, stop, stride))
            of_result.append(slice(None))
    return np.array(values[view["input"].index][tuple(places)][tuple(of_result)])
