"""An LSTM layer, its steps one after the other, and a layer over its last state."""

from __future__ import annotations

from benchmarks.networks.architecture import Architecture
from benchmarks.networks.data import slow_motions
from benchmarks.networks.layers import Layers, Value

UNITS = 16


def build(net: Layers, x: Value) -> list[Value]:
    """Four gates of row and state side by side."""
    steps, features = x.shape[1:]
    state: Value | None = None
    cell: Value | None = None
    for step in range(steps):
        row = net.reshape(net.part(x, 1, step, 1), 1, features)
        gates = net.dense(row, 4 * UNITS, "row")
        if state is not None:
            gates = net.pair("add", gates, net.dense(state, 4 * UNITS, "state"))
        new = net.pair("mul", gate(net, gates, 0), gate(net, gates, 3, "tanh"))
        kept = None if cell is None else net.pair("mul", gate(net, gates, 1), cell)
        cell = new if kept is None else net.pair("add", kept, new)
        state = net.pair("mul", gate(net, gates, 2), net.map("tanh", cell))
    assert state is not None
    return [net.dense(state, 4)]


def gate(net: Layers, gates: Value, place: int, op: str = "logistic") -> Value:
    """One of the four: what enters, what is kept, what leaves, what is new."""
    return net.map(op, net.part(gates, 1, place * UNITS, UNITS))


ARCHITECTURE = Architecture(
    "LSTM, unrolled", "motions", [(1, 16, 6)], build, slow_motions, epochs=40
)
