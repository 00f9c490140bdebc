"""Bounds of sums of products, from positive and negative weights separately.

An element outside the image is 0, for every interval.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from tinyml_rules.arithmetic.fixed_point import (
    INT32_MAX,
    INT32_MIN,
    Int64Array,
    quantize_multiplier,
)
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.accumulate import bias_of, weighted_macs
from tinyml_rules.ops._shared.in_numpy import bounds, weighted_output
from tinyml_rules.ops._shared.interval import MOST_MACS, Interval, IntervalMeaning, Intervals, Sums

Numbers = npt.NDArray[Any]
Products = Callable[[NodeView, Numbers, Numbers], Numbers]
"""The sums of the products of an image and weights, both without zero points: linear in each."""

Output = Callable[[NodeView, Numbers, Mapping[int, Array], int], Numbers]
"""The output from the sums of products, the values of all inputs, and the fused activation."""


def weighted_interval(
    products: Products,
    *,
    output: Output = weighted_output,
) -> IntervalMeaning:
    """The interval of an operator whose oracle is `output` of these sums of products, and monotonic
    in them; weights and bias are constants."""

    def interval(view: NodeView, intervals: Intervals) -> Interval | None:
        attrs, result = _attrs(view), view.output
        if weighted_macs(view) > MOST_MACS:
            return None
        sums = _ends(view, intervals, products)
        fits = _fits(view, *sums)
        clamps = bounds(result, attrs.activation)
        values = {t.index: t.data for t in view.inputs if t is not None and t.data is not None}
        ends = (
            np.where(fits, output(view, end, values, attrs.activation), clamp)
            for end, clamp in zip(sums, clamps, strict=True)
        )
        low, high = (end.astype(np.int8).reshape(result.shape) for end in ends)
        return Interval(low, high, _of_channels(view, *sums))

    return interval


def _attrs(view: NodeView) -> Any:
    return view.node.attrs


def _ends(view: NodeView, intervals: Intervals, products: Products) -> tuple[Int64Array, ...]:
    """The least and the greatest sum of products of every output, without the bias. float64 holds
    every sum of fewer than 2^37 products."""
    source, weights = view["input"], view["weights"]
    assert weights.data is not None and weights.quantization is not None
    found = intervals[source.index]
    low, high = (end.astype(np.float64) - source.zero_point for end in (found.low, found.high))
    numbers = weights.data.astype(np.float64) - weights.quantization.zero_points[0]
    rising, falling = np.maximum(numbers, 0), np.minimum(numbers, 0)
    pairs = ((low, high), (high, low))
    sums = (products(view, up, rising) + products(view, down, falling) for up, down in pairs)
    return tuple(each.astype(np.int64) for each in sums)


def _of_channels(view: NodeView, least: Int64Array, most: Int64Array) -> Sums:
    """The ends of the sums of each channel, with the bias."""
    channels = view.output.shape[-1]
    bias = bias_of(view.optional("bias"), channels)
    lows, highs = (each.reshape(-1, channels) for each in (least, most))
    return lows.min(axis=0) + bias, highs.max(axis=0) + bias


def _fits(view: NodeView, least: Int64Array, most: Int64Array) -> npt.NDArray[np.bool_]:
    """Whether int32 holds all sums in this range and their rescaled values; otherwise they wrap,
    and can be anything."""
    source, weights, result = view["input"], view["weights"], view.output
    assert weights.quantization is not None
    scales = weights.quantization.scales
    shifts = [quantize_multiplier(source.scale * scale / result.scale)[1] for scale in scales]
    # a factor of 2 from the limits leaves room for the zero point
    factor = 2.0 ** np.maximum(np.array(shifts) + 1, 0)
    bias = bias_of(view.optional("bias"), result.shape[-1])
    low, high = (np.asarray(end + bias, np.float64) * factor for end in (least, most))
    return np.asarray((low > INT32_MIN) & (high < INT32_MAX))
