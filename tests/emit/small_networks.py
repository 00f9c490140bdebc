"""Small networks whose layers are of several kinds."""

from __future__ import annotations

from tests.lower.models import dense
from tests.plan.chains import Chain
from tinyml_rules.model_file.writer import OPTIONAL, ModelSpec
from tinyml_rules.ops._shared.spatial import Padding

STRIDE = {"StrideW": 1, "StrideH": 1}


def descending() -> ModelSpec:
    """A window of one row that runs from the last row to the first, below what reads its result."""
    chain = Chain(lambda low, high: (low + high) // 2)
    chain.current = chain.activation((1, 2, 3, 3))
    window = {"FilterHeight": 1, "FilterWidth": 1, **STRIDE}
    chain.append("MAX_POOL_2D", shape=(1, 2, 3, 3), **window)
    dense(chain, 2)
    dense(chain, 1)
    return chain.model()


def small_layers() -> ModelSpec:
    """Two convolutions and two depthwise ones, whose functions are shared, and a dense layer."""
    chain = Chain(lambda low, high: (low + high) // 2)
    chain.current = chain.activation((1, 6, 5, 4))
    for outputs in (8, 4):
        weights = chain.weights((outputs, 3, 3, chain.shape[3]), 9 * chain.shape[3])
        chain.append("CONV_2D", weights, OPTIONAL, shape=(1, 6, 5, outputs), **STRIDE)
        weights = chain.weights((1, 3, 3, outputs), 9)
        options = {**STRIDE, "DepthMultiplier": 1}
        chain.append("DEPTHWISE_CONV_2D", weights, shape=(1, 6, 5, outputs), **options)
    dense(chain, 3)
    return chain.model()


def average(channels: int = 3) -> ModelSpec:
    """A convolution and the mean of its whole image."""
    chain = Chain(lambda low, high: (low + high) // 2)
    chain.current = chain.activation((1, 4, 3, 2))
    image = (1, 4, 3, channels)
    weights = chain.weights((channels, 1, 1, 2), 2)
    chain.append("CONV_2D", weights, OPTIONAL, shape=image, **STRIDE)
    window = {"FilterHeight": 4, "FilterWidth": 3, "Padding": Padding.VALID, **STRIDE}
    chain.append("AVERAGE_POOL_2D", shape=(1, 1, 1, channels), **window)
    return chain.model()
