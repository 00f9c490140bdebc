"""A block of a transformer: attention of two heads, two dense layers with GELU, normalized rows."""

from __future__ import annotations

import math

from benchmarks.networks.architecture import Architecture
from benchmarks.networks.data import slow_motions
from benchmarks.networks.layers import Layers, Start, Value

WIDTH, HEADS = 16, 2


def attention(net: Layers, x: Value) -> Value:
    """Each row a mean of all, weighed by how alike they are."""
    rows, size = x.shape[1], WIDTH // HEADS
    asked, known, held = (
        net.transpose(net.reshape(net.dense(x, WIDTH), 1, rows, HEADS, size), 0, 2, 1, 3)
        for _ in range(3)
    )
    asked = net.pair("mul", asked, net.number(1 / math.sqrt(size)))
    weights = net.map("softmax", net.matmul(asked, known, is_transposed=True))
    found = net.transpose(net.matmul(weights, held), 0, 2, 1, 3)
    return net.dense(net.reshape(found, 1, rows, WIDTH), WIDTH)


def build(net: Layers, x: Value) -> list[Value]:
    """One block over rows with a place each."""
    places = net.parameter("places", (1, x.shape[1], WIDTH), Start(0.1))
    x = net.pair("add", net.dense(x, WIDTH), places)
    x = net.pair("add", x, attention(net, net.layer_norm(x)))
    y = net.dense(net.map("gelu", net.dense(net.layer_norm(x), 2 * WIDTH)), WIDTH)
    return [net.dense(net.mean(net.pair("add", x, y), (1,)), 4)]


ARCHITECTURE = Architecture(
    "transformer block", "motions", [(1, 16, 6)], build, slow_motions, epochs=40
)
