"""Blocks of MobileNetV2: widened, depthwise, narrowed without a clamp, with shortcuts."""

from __future__ import annotations

from benchmarks.networks.architecture import Architecture
from benchmarks.networks.data import digits
from benchmarks.networks.layers import Layers, Value

BLOCKS = ((8, 1), (8, 1), (16, 2), (16, 1))
"""Channels and stride of each."""
WIDER = 4


def build(net: Layers, x: Value) -> list[Value]:
    """Four blocks between two convolutions."""
    x = net.map("relu6", net.batch_norm(net.conv(x, 8)))
    for channels, stride in BLOCKS:
        y = net.conv(x, WIDER * x.shape[3], (1, 1))
        y = net.map("relu6", net.batch_norm(y))
        y = net.map("relu6", net.batch_norm(net.depthwise(y, (3, 3), (stride, stride))))
        y = net.batch_norm(net.conv(y, channels, (1, 1)))
        x = net.pair("add", x, y) if x.shape == y.shape else y
    x = net.map("relu6", net.batch_norm(net.conv(x, 32, (1, 1))))
    return [net.dense(net.mean(x, (1, 2)), 10)]


ARCHITECTURE = Architecture("MobileNetV2", "digits", [(1, 8, 8, 1)], build, digits, epochs=10)
