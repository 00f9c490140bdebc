"""Cases of IF: branches that compute, that give their inputs or constants, nested and alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, TensorSpec
from tinyml_rules.ops._shared.cases.case import Case, Rejected, constant, quantized, random
from tinyml_rules.ops._shared.cases.strategies import shapes

SHAPE = (1, 5)
_BOTH = {"ThenSubgraphIndex": 1, "ElseSubgraphIndex": 2}


def _truth(data: bool | None = None, *, shape: tuple[int, ...] = (1,)) -> TensorSpec:
    values = None if data is None else np.full(shape, data, np.bool_)
    return TensorSpec("condition", shape, "bool", data=values)


def _sum(shape: tuple[int, ...] = SHAPE) -> ModelSpec:
    """x and y to x + y and y."""
    tensors = (quantized("a", shape), quantized("b", shape), quantized("a + b", shape))
    return ModelSpec(tensors, (OperatorSpec("ADD", (0, 1), (2,)),), (0, 1), (2, 1))


def _product(shape: tuple[int, ...] = SHAPE) -> ModelSpec:
    """x and y to x times y and twice that."""
    tensors = (*(quantized(name, shape) for name in ("a", "b", "a * b")), quantized("two", shape))
    operators = (OperatorSpec("MUL", (0, 1), (2,)), OperatorSpec("ADD", (2, 2), (3,)))
    return ModelSpec(tensors, operators, (0, 1), (2, 3))


def _fixed(shape: tuple[int, ...] = SHAPE) -> ModelSpec:
    """The same constant for any condition."""
    values = np.resize(np.arange(-3, 4), shape)
    tensors = (quantized("a", shape), quantized("b", shape), constant("c", values, scales=(0.5,)))
    return ModelSpec(tensors, (), (0, 1), (2, 2))


def _swapped(shape: tuple[int, ...] = SHAPE) -> ModelSpec:
    """y and x."""
    return ModelSpec((quantized("a", shape), quantized("b", shape)), (), (0, 1), (1, 0))


def choice(
    then: ModelSpec,
    otherwise: ModelSpec,
    *,
    condition: bool | None = None,
    shape: tuple[int, ...] = SHAPE,
    others: tuple[ModelSpec, ...] = (),
) -> ModelSpec:
    """A condition, a computed one unless it is given, and two values to two values."""
    tensors = (
        _truth(condition),
        quantized("x", shape),
        quantized("y", shape),
        quantized("first", shape),
        quantized("second", shape),
    )
    inputs = (1, 2) if condition is not None else (0, 1, 2)
    operators = (OperatorSpec("IF", (0, 1, 2), (3, 4), _BOTH),)
    return ModelSpec(tensors, operators, inputs, (3, 4), others=(then, otherwise, *others))


def nested(condition: bool | None = None) -> ModelSpec:
    """A choice in a branch of a choice, by the sum's sign or a constant, and more nodes after
    both."""
    inner = (
        *(quantized("a", SHAPE), quantized("b", SHAPE), constant("two", [[2] * 5])),
        *(quantized("first", SHAPE), quantized("second", SHAPE), quantized("end", SHAPE)),
        replace(_truth(condition, shape=(1, 1)), name="inner"),
        *(quantized("one", (1, 1)), TensorSpec("start", (2,), "int32", data=np.zeros(2, "i4"))),
        TensorSpec("stop", (2,), "int32", data=np.ones(2, "i4")),
        TensorSpec("step", (2,), "int32", data=np.ones(2, "i4")),
    )
    operators = [
        OperatorSpec("IF", (6, 0, 1), (3, 4), {"ThenSubgraphIndex": 3, "ElseSubgraphIndex": 4}),
        OperatorSpec("ADD", (3, 2), (5,)),
    ]
    if condition is None:
        first = OperatorSpec("STRIDED_SLICE", (0, 8, 9, 10), (7,))
        operators = [first, OperatorSpec("CAST", (7,), (6,)), *operators]
    branch = ModelSpec(inner, tuple(operators), (0, 1), (5, 4))
    return choice(branch, _swapped(), others=(_sum(), _product()))


def one_value(*, condition: bool | None = None) -> ModelSpec:
    """Branches without inputs, whose outputs are used in a computation."""
    names = ("ones", "twos")
    branches = [
        ModelSpec((constant(name, [[value] * 5], scales=(0.5,)),), (), (), (0,))
        for value, name in enumerate(names, start=1)
    ]
    tensors = (
        *(_truth(condition), quantized("x", SHAPE)),
        *(quantized("chosen", SHAPE), quantized("result", SHAPE)),
    )
    operators = (OperatorSpec("IF", (0,), (2,), _BOTH), OperatorSpec("ADD", (1, 2), (3,)))
    inputs = (1,) if condition is not None else (0, 1)
    return ModelSpec(tensors, operators, inputs, (3,), others=tuple(branches))


def _coarser(graph: ModelSpec) -> ModelSpec:
    """The branch reads the same bytes with twice the scale."""
    tensors = tuple(replace(each, scales=(1.0,)) for each in graph.tensors[:2])
    return replace(graph, tensors=(*tensors, *graph.tensors[2:]))


def _samples(model: ModelSpec) -> Case:
    """Both values of each bool, the others random."""
    found = []
    for index in model.inputs:
        tensor = model.tensors[index]
        size = (4, *tensor.shape)
        if tensor.dtype == "bool":
            found.append(np.resize([True, False], (4, 1)).reshape(size))
        else:
            values = random(index).integers(-128, 128, size).astype(np.int8)
            values.reshape(4, -1)[:2, 0] = 0
            found.append(values)
    return Case(model, tuple(found))


CASES = {
    "computed": _samples(choice(_sum(), _product())),
    "constants_and_inputs": _samples(choice(_fixed(), _swapped())),
    "one_graph_twice": _samples(
        replace(
            choice(_sum(), _product()),
            operators=(OperatorSpec("IF", (0, 1, 2), (3, 4), {**_BOTH, "ElseSubgraphIndex": 1}),),
        )
    ),
    "nested": _samples(nested()),
    "nested_and_known": _samples(nested(condition=True)),
    "known_true": _samples(choice(_sum(), _product(), condition=True)),
    "known_false": _samples(choice(_sum(), _product(), condition=False)),
    "known_constants": _samples(choice(_fixed(), _swapped(), condition=True)),
    "known_inputs": _samples(choice(_fixed(), _swapped(), condition=False)),
    "no_inputs": _samples(one_value()),
    "no_inputs_known": _samples(one_value(condition=False)),
    "known_of_another_scale": _samples(choice(_coarser(_sum()), _sum(), condition=True)),
}
SAMPLES = ("computed",)


def _changed(then: ModelSpec, condition: TensorSpec | None = None) -> ModelSpec:
    model = choice(then, _product())
    tensors = (condition or model.tensors[0], *model.tensors[1:])
    return replace(model, tensors=tensors)


def _keeping() -> ModelSpec:
    """A branch with a variable."""
    state = replace(quantized("state", SHAPE), is_variable=True)
    return replace(_sum(), tensors=(*_sum().tensors, state))


REJECTED = {
    "condition_of_two": Rejected(
        _changed(_sum(), _truth(shape=(2,))),
        ("condition tensor #0 'condition' is bool [2], expected a single bool",),
    ),
    "condition_of_int8": Rejected(
        _changed(_sum(), quantized("condition", (1,))),
        ("condition tensor #0 'condition' is int8 [1], expected a single bool",),
    ),
    "branch_takes_too_little": Rejected(
        _changed(replace(_swapped(), inputs=(0,), outputs=(0, 0))),
        ("the then branch's inputs are 1, expected 2 as the node's inputs",),
    ),
    "branch_gives_too_little": Rejected(
        _changed(replace(_sum(), outputs=(2,))),
        ("the then branch's outputs are 1, expected 2 as the node's outputs",),
    ),
    "branch_of_another_shape": Rejected(
        _changed(_swapped((1, 4))),
        tuple(
            f"of the then branch's {ends} tensor #{place} '{name}' is int8 [1, 4], expected int8 "
            f"[1, 5] as the node's {end} {of_node}"
            for ends, end, place, name, of_node in (
                ("inputs", "input", 0, "a", "#1 'x'"),
                ("inputs", "input", 1, "b", "#2 'y'"),
                ("outputs", "output", 1, "b", "#3 'first'"),
                ("outputs", "output", 0, "a", "#4 'second'"),
            )
        ),
    ),
    "branch_with_a_variable": Rejected(
        _changed(_keeping()), ("the then branch has variables, which is not supported",)
    ),
}


@st.composite
def _models(draw: st.DrawFn) -> Case:
    """Any two branches, a condition that is known or not."""
    shape = draw(shapes(least_rank=0))
    branch = st.sampled_from((_sum, _product, _fixed, _swapped))
    then, otherwise = draw(branch)(shape), draw(branch)(shape)
    condition = draw(st.sampled_from((None, None, True, False)))
    return _samples(choice(then, otherwise, condition=condition, shape=shape))


MODELS = _models()
