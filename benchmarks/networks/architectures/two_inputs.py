"""Two pictures through the same convolutions; which digits they are, and their difference."""

from __future__ import annotations

from benchmarks.networks.architecture import Architecture
from benchmarks.networks.data import pairs_of_digits
from benchmarks.networks.layers import Layers, Value


def build(net: Layers, first: Value, second: Value) -> list[Value]:
    """Three outputs."""
    rows = []
    for x in (first, second):
        y = net.map("relu", net.conv(x, 8, name="wide"))
        y = net.map("relu", net.conv(y, 16, stride=(2, 2), name="narrow"))
        y = net.pool("average_pool", y)
        rows.append(net.map("relu", net.dense(net.reshape(y, 1, 64), 24, "row")))
    digits = [net.dense(row, 10, "digit") for row in rows]
    both = net.map("relu", net.dense(net.join(*rows), 24))
    return [*digits, net.map("tanh", net.dense(both, 1))]


ARCHITECTURE = Architecture(
    "two inputs, three outputs",
    "pairs of digits",
    [(1, 8, 8, 1)] * 2,
    build,
    pairs_of_digits,
    epochs=20,
)
