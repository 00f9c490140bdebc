"""Blocks of MobileNetV3: hard-swish, and channels weighed by what all pixels have."""

from __future__ import annotations

from benchmarks.networks.architecture import Architecture
from benchmarks.networks.data import digits
from benchmarks.networks.layers import Layers, Value

BLOCKS = ((8, 1), (16, 2), (16, 1))
"""Channels and stride of each."""
WIDER = 3


def hard_sigmoid(net: Layers, x: Value) -> Value:
    """As Keras writes it: min(max(x + 3, 0), 6) / 6."""
    return net.pair("mul", net.map("relu6", net.pair("add", x, net.number(3))), net.number(1 / 6))


def weighed(net: Layers, x: Value) -> Value:
    """The channels times factors from their means."""
    few = net.map("relu", net.conv(net.mean(x, (1, 2), keep=True), x.shape[3] // 4, (1, 1)))
    return net.pair("mul", x, hard_sigmoid(net, net.conv(few, x.shape[3], (1, 1))))


def build(net: Layers, x: Value) -> list[Value]:
    """Three blocks between two convolutions."""
    x = net.map("hard_swish", net.batch_norm(net.conv(x, 8)))
    for channels, stride in BLOCKS:
        y = net.conv(x, WIDER * x.shape[3], (1, 1))
        y = net.map("hard_swish", net.batch_norm(y))
        y = net.map("hard_swish", net.batch_norm(net.depthwise(y, (3, 3), (stride, stride))))
        y = net.batch_norm(net.conv(weighed(net, y), channels, (1, 1)))
        x = net.pair("add", x, y) if x.shape == y.shape else y
    x = net.map("hard_swish", net.batch_norm(net.conv(x, 32, (1, 1))))
    return [net.dense(net.mean(x, (1, 2)), 10)]


ARCHITECTURE = Architecture("MobileNetV3", "digits", [(1, 8, 8, 1)], build, digits, epochs=10)
