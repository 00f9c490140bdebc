"""Cases of WHILE: a counter that runs down, none to many times, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, TensorSpec
from tinyml_rules.ops._shared.cases.case import Case, Rejected, constant, quantized, random

SHAPE = (1, 5)


def _counter(name: str = "n") -> TensorSpec:
    return quantized(name, (1, 1), scale=1.0)


def _condition() -> ModelSpec:
    """As long as the counter is not 0."""
    tensors = (_counter(), quantized("x", SHAPE), TensorSpec("again", (1, 1), "bool"))
    return ModelSpec(tensors, (OperatorSpec("CAST", (0,), (2,)),), (0, 1), (2,))


def _body() -> ModelSpec:
    """One less, and a step further."""
    tensors = (
        _counter(),
        quantized("x", SHAPE),
        constant("one less", [[-1]]),
        constant("step", [[1, 2, 3, -4, 5]], scales=(0.5,)),
        _counter("next n"),
        quantized("next x", SHAPE),
    )
    operators = (OperatorSpec("ADD", (0, 2), (4,)), OperatorSpec("ADD", (1, 3), (5,)))
    return ModelSpec(tensors, operators, (0, 1), (4, 5))


def loop() -> ModelSpec:
    """From n and x to n = 0 and x after n steps."""
    tensors = (_counter(), quantized("x", SHAPE), _counter("end"), quantized("result", SHAPE))
    options = {"CondSubgraphIndex": 1, "BodySubgraphIndex": 2}
    operators = (OperatorSpec("WHILE", (0, 1), (2, 3), options),)
    return ModelSpec(tensors, operators, (0, 1), (2, 3), others=(_condition(), _body()))


def counted(turns: int) -> ModelSpec:
    """The same from an n that is a constant."""
    tensors = (replace(_counter(), data=np.full((1, 1), turns, np.int8)), *loop().tensors[1:])
    return replace(loop(), tensors=tensors, inputs=(1,))


def exchange(turns: int) -> ModelSpec:
    """Two values that change places, and a third that no turn changes: of the last turn's outputs
    two are inputs, and the counter is a constant."""
    names = ("a", "b", "kept")
    values = tuple(quantized(name, SHAPE) for name in names)
    condition = ModelSpec(
        (_counter(), *values, TensorSpec("again", (1, 1), "bool")),
        (OperatorSpec("CAST", (0,), (4,)),),
        (0, 1, 2, 3),
        (4,),
    )
    tensors = (_counter(), *values, constant("one less", [[-1]]), _counter("next n"))
    operators = (OperatorSpec("ADD", (0, 4), (5,)),)
    body = ModelSpec(tensors, operators, (0, 1, 2, 3), (5, 2, 1, 3))
    ends = tuple(quantized(f"{name} then", SHAPE) for name in names)
    again = tuple(quantized(f"{name} twice", SHAPE) for name in names)
    start = replace(_counter(), data=np.full((1, 1), turns, np.int8))
    options = {"CondSubgraphIndex": 1, "BodySubgraphIndex": 2}
    nodes = (
        OperatorSpec("WHILE", (0, 1, 2, 3), (4, 5, 6, 7), options),
        *(OperatorSpec("ADD", (place, place), (place + 3,)) for place in (5, 6, 7)),
    )
    return ModelSpec(
        (start, *values, _counter("end"), *ends, *again),
        nodes,
        (1, 2, 3),
        (4, 5, 6, 7, 8, 9, 10),
        others=(condition, body),
    )


def nested() -> ModelSpec:
    """A loop whose body runs the same loop on a counter of its own, a constant."""
    inner = OperatorSpec("WHILE", (2, 1), (6, 7), {"CondSubgraphIndex": 1, "BodySubgraphIndex": 2})
    tensors = (
        _counter(),
        quantized("x", SHAPE),
        constant("turns", [[3]]),
        constant("one less", [[-1]]),
        _counter("next n"),
        quantized("next x", SHAPE),
        _counter("inner end"),
        quantized("inner x", SHAPE),
    )
    operators = (inner, OperatorSpec("ADD", (0, 3), (4,)))
    body = ModelSpec(tensors, operators, (0, 1), (4, 7))
    outer = replace(loop().operators[0], options={"CondSubgraphIndex": 1, "BodySubgraphIndex": 3})
    return replace(loop(), operators=(outer,), others=(_condition(), _body(), body))


def _samples(model: ModelSpec, turns: tuple[int, ...]) -> Case:
    counters = np.array(turns, np.int8).reshape(-1, 1, 1)
    values = random().integers(-128, 128, (len(turns), *SHAPE)).astype(np.int8)
    return Case(model, (counters, values))


def _random(model: ModelSpec) -> Case:
    samples = (random(place).integers(-128, 128, (3, *SHAPE)) for place in model.inputs)
    return Case(model, tuple(values.astype(np.int8) for values in samples))


CASES = {
    "none_to_many": _samples(loop(), (0, 1, 2, 7, 60)),
    "nested": _samples(nested(), (0, 1, 3)),
    **{f"counted_{turns}": _random(counted(turns)) for turns in (0, 1, 2, 3, 30, 100)},
    **{f"exchange_{turns}": _random(exchange(turns)) for turns in (0, 1, 2, 33)},
}


def _changed(place: int, graph: ModelSpec) -> ModelSpec:
    others = list(loop().others)
    others[place] = graph
    return replace(loop(), others=tuple(others))


REJECTED = {
    "condition_of_int8": Rejected(
        _changed(0, replace(_condition(), outputs=(0,))),
        ("the condition's outputs are not a single bool",),
    ),
    "body_gives_too_little": Rejected(
        _changed(1, replace(_body(), outputs=(4,))),
        ("the body's outputs are 1, expected 2 as the node's inputs",),
    ),
    "body_of_another_shape": Rejected(
        _changed(1, replace(_body(), outputs=(5, 4))),
        (
            "of the body's outputs tensor #5 'next x' is int8 [1, 5], expected int8 [1, 1] as the "
            "node's input #0 'n'",
            "of the body's outputs tensor #4 'next n' is int8 [1, 1], expected int8 [1, 5] as the "
            "node's input #1 'x'",
        ),
    ),
}


@st.composite
def _models(draw: st.DrawFn) -> Case:
    """Loops whose turns are known or not."""
    if draw(st.booleans()):
        return _samples(draw(st.sampled_from((loop, nested)))(), (0, 1, draw(st.integers(2, 9))))
    return _random(draw(st.sampled_from((counted, exchange)))(draw(st.integers(0, 127))))


MODELS = _models()
