"""Convolutions whose channels are weighed by LOGISTIC of two dense layers over their means."""

from __future__ import annotations

from benchmarks.networks.architecture import Architecture
from benchmarks.networks.data import spoken
from benchmarks.networks.layers import Layers, Value


def weighed(net: Layers, x: Value) -> Value:
    """The channels times factors from their means."""
    channels = x.shape[3]
    few = net.map("relu", net.dense(net.mean(x, (1, 2)), channels // 4))
    factors = net.map("logistic", net.dense(few, channels))
    return net.pair("mul", x, net.reshape(factors, 1, 1, 1, channels))


def build(net: Layers, x: Value) -> list[Value]:
    """Two convolutions."""
    for channels, stride in ((16, (4, 4)), (24, (2, 2))):
        x = net.map("relu", net.batch_norm(net.conv(x, channels, (5, 5), stride=stride)))
        x = weighed(net, x)
    return [net.dense(net.mean(x, (1, 2)), 4)]


ARCHITECTURE = Architecture(
    "squeeze-and-excite", "spoken words", [(1, 49, 40, 1)], build, spoken, epochs=30
)
