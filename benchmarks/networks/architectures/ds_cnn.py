"""A keyword spotter: a convolution, then depthwise and pointwise ones."""

from __future__ import annotations

from benchmarks.networks.architecture import Architecture
from benchmarks.networks.data import spoken
from benchmarks.networks.layers import Layers, Value

CHANNELS = 24


def build(net: Layers, x: Value) -> list[Value]:
    """Three blocks, a mean, probabilities."""
    x = net.map("relu", net.batch_norm(net.conv(x, CHANNELS, (10, 4), stride=(4, 4))))
    for _ in range(3):
        x = net.map("relu", net.batch_norm(net.depthwise(x, (3, 3))))
        x = net.map("relu", net.batch_norm(net.conv(x, CHANNELS, (1, 1))))
    return [net.map("softmax", net.dense(net.mean(x, (1, 2)), 4))]


ARCHITECTURE = Architecture("DS-CNN", "spoken words", [(1, 49, 40, 1)], build, spoken, epochs=30)
