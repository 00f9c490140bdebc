"""RESIZE_BILINEAR in numpy: four products in 64 bits, rounded half away from zero."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tinyml_rules.arithmetic.fixed_point import INT8_MIN, Int64Array
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.real_maps import Float32Array
from tinyml_rules.ops.resize_bilinear.op import Attrs

ONE = 1024
"""TFLM counts places in 1024ths."""


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor."""
    attrs, result = view.node.attrs, view.output
    assert isinstance(attrs, Attrs)
    image = values[view["input"].index].astype(np.int64)
    for axis in (1, 2):
        image = _along(image, axis, result.shape[axis], attrs)
    half = np.where(image > 0, ONE * ONE // 2, -(ONE * ONE // 2))
    rounded = np.sign(image + half) * (np.abs(image + half) // (ONE * ONE))
    return np.asarray(rounded, np.int8)


def oracle_of_uint8(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The same as LiteRT computes uint8: in float32, plus a half, cut off."""
    data = values[view["input"].index].astype(np.float32) - np.float32(INT8_MIN)
    found = oracle_of_real(view, {view["input"].index: data}).astype(np.float32)
    return np.asarray((found + np.float32(0.5)).astype(np.int64) + INT8_MIN, np.int8)


def _along(image: Int64Array, axis: int, outputs: int, attrs: Attrs) -> Int64Array:
    """The image with so many cells along the axis, and all values multiplied by 1024."""
    inputs = image.shape[axis]
    scale = (ONE * inputs + outputs // 2) // outputs
    if attrs.align_corners and outputs > 1:
        scale = (ONE * (inputs - 1) + (outputs - 1) // 2) // (outputs - 1)
    place = np.arange(outputs) * scale
    if attrs.half_pixel_centers:
        place += scale // 2 - ONE // 2
    lower = np.maximum(place // ONE, 0)
    upper = np.minimum(-(-place // ONE), inputs - 1)
    shape = np.ones(image.ndim, np.int64)
    shape[axis] = outputs
    fraction = (place - ONE * lower).reshape(shape)
    below, above = np.take(image, lower, axis), np.take(image, upper, axis)
    return np.asarray(below * (ONE - fraction) + above * fraction, np.int64)


def oracle_of_real(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The same of real numbers; `reference_ops::ResizeBilinear` of TFLM, with its order of four
    products and their sums."""
    attrs, (_, height, width, _) = view.node.attrs, view.output.shape
    assert isinstance(attrs, Attrs)
    image: Float32Array = values[view["input"].index].astype(np.float32)
    above, below, down = _places(image.shape[1], height, attrs)
    left, right, across = _places(image.shape[2], width, attrs)
    down, one = down[:, np.newaxis, np.newaxis], np.float32(1)
    across = across[:, np.newaxis]
    with np.errstate(over="ignore", invalid="ignore"):
        corners = (
            image[:, above][:, :, left] * (one - down) * (one - across),
            image[:, below][:, :, left] * down * (one - across),
            image[:, above][:, :, right] * (one - down) * across,
            image[:, below][:, :, right] * down * across,
        )
        return np.asarray(((corners[0] + corners[1]) + corners[2]) + corners[3])


def _places(inputs: int, outputs: int, attrs: Attrs) -> tuple[Int64Array, Int64Array, Float32Array]:
    """For each output along an axis, the input before and the one after it, and the distance from
    the first, in float32 (`ComputeInterpolationValues` of TFLM)."""
    scale = np.float32(inputs) / np.float32(outputs)
    if attrs.align_corners and outputs > 1:
        scale = np.float32(inputs - 1) / np.float32(outputs - 1)
    place = np.arange(outputs, dtype=np.float32)
    half = np.float32(0.5)
    place = (place + half) * scale - half if attrs.half_pixel_centers else place * scale
    lower = np.maximum(np.floor(place), 0).astype(np.int64)
    upper = np.minimum(np.ceil(place), inputs - 1).astype(np.int64)
    return lower, upper, place - lower.astype(np.float32)
