"""Dense layers down to 10 numbers and back to the picture that they were made of."""

from __future__ import annotations

from benchmarks.networks.architecture import Architecture
from benchmarks.networks.data import digits, to_itself
from benchmarks.networks.layers import Layers, Value

UNITS = (48, 24, 10, 24, 48)


def build(net: Layers, x: Value) -> list[Value]:
    """Five layers with RELU, one without."""
    shape, count = x.shape, 64
    y = net.reshape(x, 1, count)
    for units in UNITS:
        y = net.map("relu", net.batch_norm(net.dense(y, units)))
    return [net.reshape(net.dense(y, count), *shape)]


ARCHITECTURE = Architecture(
    "dense autoencoder", "digits", [(1, 8, 8, 1)], build, lambda: to_itself(digits()), epochs=25
)
