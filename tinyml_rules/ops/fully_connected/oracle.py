"""FULLY_CONNECTED in numpy, straight from its definition and without the folded bias."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from tinyml_rules.arithmetic.fixed_point import Int64Array
from tinyml_rules.arithmetic.nearest_multiplier import rounded_product
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.in_numpy import (
    Int8Array,
    bounds,
    weighted_factors,
    weighted_output,
    weighted_reals,
    weighted_sums,
)
from tinyml_rules.ops._shared.products import sums_of_products
from tinyml_rules.ops._shared.real_weights import weights_in_numpy
from tinyml_rules.ops.fully_connected.op import Attrs


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
    source, weights = view["input"], view["weights"]
    assert weights.quantization is not None
    matrix = values[weights.index].astype(np.int64) - weights.quantization.zero_points[0]
    vectors = values[source.index].astype(np.int64) - source.zero_point
    return products(view, vectors, matrix)


def products(
    _view: NodeView, vectors: npt.NDArray[Any], matrix: npt.NDArray[Any]
) -> npt.NDArray[Any]:
    """The sums of vectors and a matrix [outputs][inputs], both without zero points; a row each."""
    return sums_of_products(vectors.reshape(-1, matrix.shape[1]), matrix)


def oracle_of_real(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The same of real numbers: product after product in float32."""
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    vectors = values[view["input"].index].astype(np.float32)
    matrix = weights_in_numpy(view, values)
    return weighted_reals(view, products(view, vectors, matrix), values, attrs.activation)
