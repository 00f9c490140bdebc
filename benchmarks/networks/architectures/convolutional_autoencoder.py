"""Convolutions down to 2x2 pixels and TRANSPOSE_CONV back to the picture."""

from __future__ import annotations

from benchmarks.networks.architecture import Architecture
from benchmarks.networks.data import digits, to_itself
from benchmarks.networks.layers import Layers, Value


def build(net: Layers, x: Value) -> list[Value]:
    """Two layers down, two up."""
    x = net.map("relu", net.batch_norm(net.conv(x, 12, stride=(2, 2))))
    x = net.map("relu", net.batch_norm(net.conv(x, 8, stride=(2, 2))))
    x = net.map("relu", net.batch_norm(net.doubled(x, 12)))
    return [net.map("logistic", net.conv(net.map("relu", net.doubled(x, 8)), 1))]


ARCHITECTURE = Architecture(
    "convolutional autoencoder",
    "digits",
    [(1, 8, 8, 1)],
    build,
    lambda: to_itself(digits()),
    epochs=20,
)
