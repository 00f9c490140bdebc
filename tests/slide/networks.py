"""A keyword spotter in small, with and without padding."""

from __future__ import annotations

from tests.plan.chains import Chain
from tinyml_rules.model_file.writer import OPTIONAL, ModelSpec, build_model
from tinyml_rules.ops._shared.spatial import Padding

ROWS, COLUMNS, CHANNELS, CLASSES = 49, 10, 24, 6


def spotter(padding: Padding) -> bytes:
    """CONV_2D 10x8, stride 2x2, then twice DEPTHWISE_CONV_2D 3x1 and CONV_2D 1x1, an average over
    all, and a dense layer."""
    chain = Chain(min)
    is_same = padding is Padding.SAME
    chain.activation((1, ROWS, COLUMNS, 1))
    rows, columns = (25, 5) if is_same else (20, 2)
    image = (1, rows, columns, CHANNELS)
    weights = chain.weights((CHANNELS, 10, 8, 1), taps=80)
    options = {"Padding": int(padding), "StrideH": 2, "StrideW": 2}
    chain.append("CONV_2D", weights, OPTIONAL, shape=image, **options)
    for _ in range(2):
        image = image if is_same else (1, image[1] - 2, columns, CHANNELS)
        weights = chain.weights((1, 3, 1, CHANNELS), taps=3)
        options = {"Padding": int(padding), "StrideH": 1, "StrideW": 1, "DepthMultiplier": 1}
        chain.append("DEPTHWISE_CONV_2D", weights, shape=image, **options)
        weights = chain.weights((CHANNELS, 1, 1, CHANNELS), taps=CHANNELS)
        options = {"Padding": int(padding), "StrideH": 1, "StrideW": 1}
        chain.append("CONV_2D", weights, OPTIONAL, shape=image, **options)
    size = {"FilterHeight": image[1], "FilterWidth": image[2]}
    average = {"Padding": int(Padding.VALID), "StrideH": 1, "StrideW": 1, **size}
    chain.append("AVERAGE_POOL_2D", shape=(1, 1, 1, CHANNELS), **average)
    weights = chain.weights((CLASSES, CHANNELS), taps=CHANNELS)
    chain.append("FULLY_CONNECTED", weights, OPTIONAL, shape=(1, CLASSES))
    return build_model(
        ModelSpec(tuple(chain.tensors), tuple(chain.operators), (0,), (chain.current,))
    )
