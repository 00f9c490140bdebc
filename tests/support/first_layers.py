"""What a MobileNet begins with, for groups of layers."""

from __future__ import annotations

from typing import Any

from tests.support.chained import chained
from tinyml_rules.arithmetic.fixed_point import Activation
from tinyml_rules.model_file.writer import ModelSpec, build_model
from tinyml_rules.ops.conv_2d.cases import conv
from tinyml_rules.ops.depthwise_conv_2d.cases import depthwise


def first_layers(*others: ModelSpec) -> bytes:
    """Windows of 3 x 3 and of one pixel, two of which have a stride of 2, on rows of 22, 11 and 6
    pixels, then others on an image of 3 x 6 pixels of 12 channels."""
    positive: dict[str, Any] = {"zero_points": (-128, -128), "activation": Activation.RELU}
    positive["bias_size"] = None
    return build_model(
        chained(
            conv((1, 9, 22, 1), outputs=8, strides=(2, 2), **positive),
            depthwise((1, 5, 11, 8), **positive),
            conv((1, 5, 11, 8), (1, 1), outputs=12, **positive),
            depthwise((1, 5, 11, 12), strides=(2, 2), **positive),
            *others,
        )
    )
