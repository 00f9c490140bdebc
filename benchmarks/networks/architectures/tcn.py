"""Convolutions over time whose steps lie further apart from block to block, with shortcuts."""

from __future__ import annotations

from benchmarks.networks.architecture import Architecture
from benchmarks.networks.data import motions
from benchmarks.networks.layers import Layers, Value

DISTANCES = (1, 2, 4)


def build(net: Layers, x: Value) -> list[Value]:
    """Three blocks of 16 channels over rows [1, 1, 64, 6]."""
    x = net.reshape(x, 1, *x.shape)
    for distance in DISTANCES:
        y = net.conv(x, 16, (1, 3), dilation=(1, distance))
        y = net.map("relu", net.batch_norm(y))
        y = net.conv(y, 16, (1, 3), dilation=(1, distance))
        shortcut = x if x.shape == y.shape else net.conv(x, 16, (1, 1))
        x = net.map("relu", net.pair("add", net.batch_norm(y), shortcut))
    return [net.dense(net.mean(x, (1, 2)), 4)]


ARCHITECTURE = Architecture("TCN", "motions", [(1, 64, 6)], build, motions, epochs=30)
