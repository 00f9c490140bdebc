"""A GRU layer, its steps one after the other, and a layer over its last state."""

from __future__ import annotations

from benchmarks.networks.architecture import Architecture
from benchmarks.networks.data import slow_motions
from benchmarks.networks.layers import Layers, Start, Value

UNITS = 16


def build(net: Layers, x: Value) -> list[Value]:
    """Of Keras with `reset_after`."""
    steps, features = x.shape[1:]
    state = None
    for step in range(steps):
        row = net.reshape(net.part(x, 1, step, 1), 1, features)
        of_row = _thirds(net, net.dense(row, 3 * UNITS, "row"))
        source = state or net.parameter("state", (1, UNITS), Start(is_trained=False))
        of_state = _thirds(net, net.dense(source, 3 * UNITS, "state"))
        update = net.map("logistic", net.pair("add", of_row[0], of_state[0]))
        reset = net.map("logistic", net.pair("add", of_row[1], of_state[1]))
        kept = net.pair("mul", reset, of_state[2])
        new = net.map("tanh", net.pair("add", of_row[2], kept))
        rest = net.pair("sub", net.number(1), update)
        state = net.pair("add", net.pair("mul", update, source), net.pair("mul", rest, new))
    assert state is not None
    return [net.dense(state, 4)]


def _thirds(net: Layers, x: Value) -> list[Value]:
    return [net.part(x, 1, third * UNITS, UNITS) for third in range(3)]


ARCHITECTURE = Architecture(
    "GRU, unrolled", "motions", [(1, 16, 6)], build, slow_motions, epochs=40
)
