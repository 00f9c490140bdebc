"""Cases of models with resource variables: a running sum, with and without initial values."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, TensorSpec
from tinyml_rules.ops._shared.cases.case import AnyArray, Case, quantized, random
from tinyml_rules.ops._shared.cases.strategies import shapes

SHAPE = (1, 6)


Shape = tuple[int, ...]


def _handle(name: str = "handle") -> TensorSpec:
    return TensorSpec(name, (), "resource")


def _named(result: int, name: str = "sum") -> OperatorSpec:
    return OperatorSpec("VAR_HANDLE", (), (result,), {"Container": "", "SharedName": name})


def running_sum(initial: AnyArray | None = None, *, shape: Shape = SHAPE) -> ModelSpec:
    """Adds its input to a variable and gives the sum, which the variable holds then."""
    operators = (
        *(
            (OperatorSpec("CALL_ONCE", (), (), {"InitSubgraphIndex": 1}),)
            if initial is not None
            else ()
        ),
        _named(1),
        OperatorSpec("READ_VARIABLE", (1,), (2,)),
        OperatorSpec("ADD", (0, 2), (3,)),
        OperatorSpec("ASSIGN_VARIABLE", (1, 3), ()),
    )
    tensors = (quantized("x", shape), _handle(), quantized("old", shape), quantized("new", shape))
    others = () if initial is None else (_starting(initial),)
    return ModelSpec(tensors, operators, (0,), (3,), others=others)


def _starting(initial: AnyArray) -> ModelSpec:
    """Assigns a constant."""
    value = TensorSpec("first", initial.shape, scales=(0.5,), zero_points=(0,), data=initial)
    operators = (_named(0), OperatorSpec("ASSIGN_VARIABLE", (0, 1), ()))
    return ModelSpec((_handle(), value), operators, (), ())


def sequence(model: ModelSpec, *, seed: int = 1) -> Case:
    """Small numbers one after the other, so that the sum moves."""
    samples = random(seed).integers(-30, 31, (6, *model.tensors[0].shape)).astype(np.int8)
    return Case(model, (samples,), is_sequence=True)


CASES = {
    "from_zero": sequence(running_sum()),
    "from_a_constant": sequence(running_sum(np.arange(6, dtype=np.int8).reshape(SHAPE))),
}


@st.composite
def _models(draw: st.DrawFn) -> Case:
    shape, seed = draw(shapes(least_rank=0)), draw(st.integers(0, 99))
    first = random(seed).integers(-128, 128, shape).astype(np.int8)
    model = running_sum(first if draw(st.booleans()) else None, shape=shape)
    return sequence(model, seed=seed)


MODELS = _models()
