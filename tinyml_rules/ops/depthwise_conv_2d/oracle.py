"""DEPTHWISE_CONV_2D in numpy, straight from its definition and without the folded bias."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.convolution import ConvolutionAttrs, slidings
from tinyml_rules.ops._shared.in_numpy import weighted_output
from tinyml_rules.ops._shared.spatial import patches


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor."""
    attrs, source, weights = view.node.attrs, view.input(0), view.input(1)
    assert isinstance(attrs, ConvolutionAttrs)
    image = values[source.index].astype(np.int64) - source.zero_point
    sums = products(view, image, values[weights.index].astype(np.int64))
    return weighted_output(view, sums, values, attrs.activation)


def products(
    view: NodeView, image: npt.NDArray[Any], filters: npt.NDArray[Any]
) -> npt.NDArray[Any]:
    """The sums of an image without its zero point, 0 around it; [batch, height, width, outputs]."""
    windows = patches(image, *slidings(view), output=view.output, fill=0)
    windows = np.repeat(windows, filters.shape[3] // image.shape[3], axis=-1)
    return np.asarray(np.einsum("byxhwo,hwo->byxo", windows, filters[0]))
