"""A U-Net: pictures halved twice and doubled again, joined with what they were before."""

from __future__ import annotations

from benchmarks.networks.architecture import Architecture
from benchmarks.networks.data import digits_in_noise
from benchmarks.networks.layers import Layers, Value


def block(net: Layers, x: Value, channels: int) -> Value:
    return net.map("relu", net.batch_norm(net.conv(x, channels)))


def build(net: Layers, x: Value) -> list[Value]:
    """From pictures in noise to probabilities that a pixel is of the digit."""
    large = block(net, x, 6)
    middle = block(net, net.pool("max_pool", large), 12)
    small = block(net, net.pool("max_pool", middle), 16)
    middle = block(net, net.join(net.pool("nearest", small), middle), 12)
    large = block(net, net.join(net.pool("nearest", middle), large), 6)
    return [net.map("logistic", net.conv(large, 1, (1, 1)))]


ARCHITECTURE = Architecture(
    "U-Net", "digits in noise", [(1, 16, 16, 1)], build, digits_in_noise, epochs=6
)
