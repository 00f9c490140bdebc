"""GRU layers in float32 as Keras's converter writes them: WHILE over steps in time, weights in its
body, gates in one sum that SPLIT parts; one after the other, or in both directions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, TensorSpec

STEP = TensorSpec("", (), "int32")


class _Builder:
    """The tensors and operators of one graph."""

    def __init__(self, seed: int = 0) -> None:
        self.tensors: list[TensorSpec] = []
        self.operators: list[OperatorSpec] = []
        self.generator = np.random.default_rng(seed)

    def tensor(self, name: str, *shape: int, dtype: str = "float32", data: Any = None) -> int:
        values = None if data is None else np.asarray(data, dtype)
        self.tensors.append(TensorSpec(name, shape, dtype, data=values))
        return len(self.tensors) - 1

    def constant(self, values: Any, dtype: str = "float32") -> int:
        shape = np.asarray(values).shape
        return self.tensor(f"c{len(self.tensors)}", *shape, dtype=dtype, data=values)

    def made(self, op: str, *inputs: int, shape: Sequence[int], **options: Any) -> int:
        dtype = "bool" if op == "LESS" else self.tensors[inputs[-1]].dtype
        return self.several(op, inputs, [tuple(shape)], dtype=dtype, **options)[0]

    def several(
        self,
        op: str,
        inputs: Sequence[int],
        shapes: Sequence[tuple[int, ...]],
        dtype: str = "float32",
        **options: Any,
    ) -> list[int]:
        outputs = [self.tensor(f"t{len(self.tensors)}", *shape, dtype=dtype) for shape in shapes]
        self.operators.append(OperatorSpec(op, tuple(inputs), tuple(outputs), options))
        return outputs

    def layer(self, source: int, inputs: int, units: int) -> int:
        """Weights with the variance of Glorot's."""
        end = np.sqrt(6 / (inputs + units))
        weights = self.constant(self.generator.uniform(-end, end, (units, inputs)))
        bias = self.constant(self.generator.normal(0, 0.1, units))
        return self.made("FULLY_CONNECTED", source, weights, bias, shape=(1, units))

    def model(self, inputs: Sequence[int], outputs: Sequence[int], others: Any = ()) -> ModelSpec:
        return ModelSpec(
            tuple(self.tensors), tuple(self.operators), tuple(inputs), tuple(outputs), others=others
        )


def _begin(
    steps: int, features: int, units: int, seed: int = 0
) -> tuple[_Builder, tuple[int, ...]]:
    """What goes from turn to turn: the number of the step, all results, the state, all rows."""
    graph = _Builder(seed)
    return graph, (
        graph.tensor("step", dtype="int32"),
        graph.tensor("results", steps, 1, units),
        graph.tensor("state", 1, units),
        graph.tensor("rows", steps, 1, features),
    )


def _condition(steps: int, features: int, units: int) -> ModelSpec:
    graph, values = _begin(steps, features, units)
    again = graph.made("LESS", values[0], graph.constant(steps, "int32"), shape=())
    return graph.model(values, [again])


def _body(steps: int, features: int, units: int, seed: int) -> ModelSpec:
    """Of Keras with `reset_after`: the reset gate multiplies what the sum makes of the state."""
    graph, (step, results, state, rows) = _begin(steps, features, units, seed)
    one, gate = graph.constant(1, "int32"), (1, units)
    row = graph.several("GATHER", (rows, step), [(1, features)], Axis=0)[0]
    parts = [
        graph.several(
            "SPLIT", (one, graph.layer(source, count, 3 * units)), [gate] * 3, NumSplits=3
        )
        for source, count in ((row, features), (state, units))
    ]
    pairs = list(zip(*parts, strict=True))
    update, reset = (
        graph.made("LOGISTIC", graph.made("ADD", *pair, shape=gate), shape=gate)
        for pair in pairs[:2]
    )
    of_row, of_state = pairs[2]
    kept = graph.made("MUL", reset, of_state, shape=gate)
    new = graph.made("TANH", graph.made("ADD", of_row, kept, shape=gate), shape=gate)
    rest = graph.made("SUB", graph.constant(1.0), update, shape=gate)
    state = graph.made(
        "ADD",
        graph.made("MUL", update, state, shape=gate),
        graph.made("MUL", rest, new, shape=gate),
        shape=gate,
    )
    result = graph.made("EXPAND_DIMS", state, graph.constant(0, "int32"), shape=(1, *gate))
    graph.tensors[result] = TensorSpec("result", (1, *gate), "float32")
    zero = graph.constant(0, "int32")
    start = graph.several("PACK", (step, zero, zero), [(3,)], dtype="int32", Axis=0, ValuesCount=3)[
        0
    ]
    results = graph.several("DYNAMIC_UPDATE_SLICE", (results, result, start), [(steps, *gate)])[0]
    step = graph.made("ADD", step, one, shape=())
    return graph.model((0, 1, 2, 3), (step, results, state, rows))


def gru_network(
    steps: int, features: int, units: Sequence[int], *, classes: int = 4, is_both_ways: bool = False
) -> ModelSpec:
    """GRU layers over a sequence [1, steps, features], and a layer over the last state; in both
    directions: two of the first one, the second from the last row to the first."""
    graph, others = _Builder(seed=1), list[ModelSpec]()
    source = graph.tensor("x", 1, steps, features)
    order = graph.constant((1, 0, 2), "int32")
    rows = graph.several("TRANSPOSE", (source, order), [(steps, 1, features)])[0]

    def gru(rows: int, count: int, size: int) -> list[int]:
        others.append(_condition(steps, count, size))
        others.append(_body(steps, count, size, seed=len(others)))
        start = (
            graph.constant(0, "int32"),
            graph.constant(np.zeros((steps, 1, size))),
            graph.constant(np.zeros((1, size))),
            rows,
        )
        shapes = [graph.tensors[each] for each in start]
        ends = [graph.tensor(f"end {len(graph.tensors)}", *s.shape, dtype=s.dtype) for s in shapes]
        loop = {"CondSubgraphIndex": len(others) - 1, "BodySubgraphIndex": len(others)}
        graph.operators.append(OperatorSpec("WHILE", start, tuple(ends), loop))
        return ends

    if is_both_ways:
        (size,) = units
        axis = graph.constant((0,), "int32")
        back = graph.several("REVERSE_V2", (rows, axis), [(steps, 1, features)])[0]
        states = [gru(each, features, size)[2] for each in (rows, back)]
        last = graph.several("CONCATENATION", states, [(1, 2 * size)], Axis=1)[0]
        count = 2 * size
    else:
        count = features
        for size in units:
            _, rows, last, _ = gru(rows, count, size)
            count = size
    result = graph.layer(last, count, classes)
    return graph.model([source], [result], tuple(others))
