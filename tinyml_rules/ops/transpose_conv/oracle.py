"""TRANSPOSE_CONV in numpy: every input pixel is spread over the output, tap by tap."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.in_numpy import weighted_output, weighted_reals
from tinyml_rules.ops._shared.products import sums_of_products
from tinyml_rules.ops.transpose_conv.op import Attrs


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor."""
    attrs, weights, source = view.node.attrs, view["weights"], view["input"]
    assert isinstance(attrs, Attrs)
    image = values[source.index].astype(np.int64) - source.zero_point
    sums = products(view, image, values[weights.index].astype(np.int64))
    return weighted_output(view, sums, values, attrs.activation)


def oracle_of_real(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The same of real numbers: product after product in float32."""
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    taps, image = (values[view[name].index].astype(np.float32) for name in ("weights", "input"))
    sums = products(view, image, taps)
    return weighted_reals(view, sums, values, attrs.activation)


def products(view: NodeView, image: npt.NDArray[Any], taps: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The sums of an image without its zero point; [batch, height, width, outputs]."""
    attrs, result = view.node.attrs, view.output
    assert isinstance(attrs, Attrs)
    (batches, height, width, _), strides = image.shape, (attrs.stride_height, attrs.stride_width)
    lengths = [
        (inputs - 1) * stride + 1 for inputs, stride in zip((height, width), strides, strict=True)
    ]
    sizes = (batches, *np.add(lengths, taps.shape[1:3]) - 1, taps.shape[0])
    sums = np.zeros(sizes, image.dtype)
    # the last tap first: so an output meets the pixels in the order of memory, as in TFLM
    for y, x in [*np.ndindex(taps.shape[1:3])][::-1]:
        rows = slice(y, y + lengths[0], strides[0])
        columns = slice(x, x + lengths[1], strides[1])
        for part in _parts(image, taps[:, y, x]):
            sums[:, rows, columns] += part
    # `ComputePadding` of TFLM: what the output lacks of that, half of it before
    first = [max(sums.shape[axis] - result.shape[axis], 0) // 2 for axis in (1, 2)]
    seen = sums[:, first[0] :, first[1] :][:, : result.shape[1], : result.shape[2]]
    beyond = [(0, whole - part) for whole, part in zip(result.shape, seen.shape, strict=True)]
    return np.pad(seen, beyond)


def _parts(image: npt.NDArray[Any], tap: npt.NDArray[Any]) -> Iterator[npt.NDArray[Any]]:
    """What the weights [outputs][channels] of a tap add, of real numbers channel by channel."""
    if image.dtype == np.float32:
        with np.errstate(over="ignore", invalid="ignore"):
            for channel in range(image.shape[3]):
                yield image[..., channel, np.newaxis] * tap[:, channel]
    else:
        made = sums_of_products(image.reshape(-1, image.shape[3]), tap)
        yield made.reshape(*image.shape[:3], -1)
