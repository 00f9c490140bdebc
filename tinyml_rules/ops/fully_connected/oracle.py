"""FULLY_CONNECTED in numpy, straight from its definition and without the folded bias."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from tinyml_rules.arithmetic.fixed_point import Activation, Int64Array
from tinyml_rules.arithmetic.nearest_multiplier import rounded_product
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.in_numpy import (
    Int8Array,
    bounds,
    weighted_factors,
    weighted_output,
    weighted_sums,
)
from tinyml_rules.ops.fully_connected.op import Attrs

_BOUNDS = {Activation.RELU: (0, None), Activation.RELU_N1_TO_1: (-1, 1), Activation.RELU6: (0, 6)}


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor."""
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    result = weighted_output(view, _products_of(view, values), values, attrs.activation)
    return result.reshape(view.output.shape)


def oracle_of_litert(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The same as `reference_integer_ops::FullyConnected` of LiteRT rounds it."""
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    result = nearest_output(view, _products_of(view, values), values, attrs.activation)
    return result.reshape(view.output.shape)


def nearest_output(
    view: NodeView, found: Int64Array, values: Mapping[int, Array], activation: int
) -> Int8Array:
    """As `weighted_output`, each sum times a double, which is rounded once; it saturates where
    int32 does not hold it, which LiteRT leaves to the processor."""
    factors = np.array(weighted_factors(view))
    scaled = rounded_product(weighted_sums(view, found, values), factors)
    low, high = bounds(view.output, activation)
    return np.clip(scaled + view.output.zero_point, low, high).astype(np.int8)


def _products_of(view: NodeView, values: Mapping[int, Array]) -> Int64Array:
    source, weights = view.input(0), view.input(1)
    assert weights.quantization is not None
    matrix = values[weights.index].astype(np.int64) - weights.quantization.zero_points[0]
    vectors = values[source.index].astype(np.int64) - source.zero_point
    return products(view, vectors, matrix)


def products(
    _view: NodeView, vectors: npt.NDArray[Any], matrix: npt.NDArray[Any]
) -> npt.NDArray[Any]:
    """The sums of vectors and a matrix [outputs][inputs], both without zero points; a row each."""
    return np.asarray(vectors.reshape(-1, matrix.shape[1]) @ matrix.T)


def oracle_of_real(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The same of real numbers: product after product in float32, and the bias last."""
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    matrix = values[view.input(1).index].astype(np.float32)
    vectors = values[view.input(0).index].reshape(-1, matrix.shape[1]).astype(np.float32)
    sums = np.zeros((len(vectors), len(matrix)), np.float32)
    bias, limits = view.optional_input(2), np.finfo(np.float32)
    with np.errstate(over="ignore", invalid="ignore"):
        for place in range(matrix.shape[1]):
            sums = sums + vectors[:, place, np.newaxis] * matrix[:, place]
        if bias is not None:
            sums = sums + values[bias.index].astype(np.float32).reshape(-1)
    low, high = _BOUNDS.get(Activation(attrs.activation), (None, None))
    least = limits.min if low is None else np.float32(low)
    most = limits.max if high is None else np.float32(high)
    sums = np.where(sums < least, least, sums)  # what is no number stays
    sums = np.where(most < sums, most, sums)
    return sums.astype(np.float32).reshape(view.output.shape)
