"""DEPTHWISE_CONV_2D in numpy, straight from its definition and without the folded bias."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.convolution import ConvolutionAttrs, slidings
from tinyml_rules.ops._shared.in_numpy import weighted_output, weighted_reals
from tinyml_rules.ops._shared.real_weights import weights_in_numpy
from tinyml_rules.ops._shared.spatial import patches


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor."""
    attrs, source, weights = view.node.attrs, view["input"], view["weights"]
    assert isinstance(attrs, ConvolutionAttrs)
    assert weights.quantization is not None
    image = values[source.index].astype(np.int64) - source.zero_point
    zero_point = weights.quantization.zero_points[0]
    sums = products(view, image, values[weights.index].astype(np.int64) - zero_point)
    return weighted_output(view, sums, values, attrs.activation)


def oracle_of_real(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The same of real numbers: product after product in float32."""
    attrs = view.node.attrs
    assert isinstance(attrs, ConvolutionAttrs)
    image = values[view["input"].index].astype(np.float32)
    filters = weights_in_numpy(view, values)
    return weighted_reals(view, products(view, image, filters), values, attrs.activation)


def products(
    view: NodeView, image: npt.NDArray[Any], filters: npt.NDArray[Any]
) -> npt.NDArray[Any]:
    """The sums of an image without its zero point, 0 around it; [batch, height, width, outputs]."""
    windows = patches(image, *slidings(view), output=view.output, fill=0)
    times, (_, height, width, outputs) = filters.shape[3] // image.shape[3], filters.shape
    sums = np.zeros((*windows.shape[:3], outputs), image.dtype)
    with np.errstate(over="ignore", invalid="ignore"):
        for y, x in np.ndindex(height, width):  # in the order of C, which tells real sums apart
            seen = windows[:, :, :, y, x]
            sums += (np.repeat(seen, times, axis=-1) if times > 1 else seen) * filters[0, y, x]
    return sums
