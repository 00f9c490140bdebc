"""Blocks of two convolutions with shortcuts, normalized after each."""

from __future__ import annotations

from benchmarks.networks.architecture import Architecture
from benchmarks.networks.data import digits
from benchmarks.networks.layers import Layers, Value

BLOCKS = ((8, 1), (16, 2), (16, 1))
"""Channels and stride of each."""


def build(net: Layers, x: Value) -> list[Value]:
    """Three blocks after a convolution."""
    x = net.map("relu", net.batch_norm(net.conv(x, 8)))
    for channels, stride in BLOCKS:
        y = net.batch_norm(net.conv(x, channels, stride=(stride, stride)))
        y = net.batch_norm(net.conv(net.map("relu", y), channels))
        if x.shape != y.shape:
            x = net.conv(x, channels, (1, 1), stride=(stride, stride))
        x = net.map("relu", net.pair("add", x, y))
    return [net.dense(net.mean(x, (1, 2)), 10)]


ARCHITECTURE = Architecture("residual", "digits", [(1, 8, 8, 1)], build, digits, epochs=10)
