"""Cases of CONCATENATION: axes, types, constants, one tensor twice, and what is refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from tinyml_rules.arithmetic.fixed_point import Activation
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec
from tinyml_rules.ops._shared.cases.case import (
    Case,
    Rejected,
    filled,
    model_of,
    plain,
    random_case,
    with_options,
    with_tensor,
)
from tinyml_rules.ops._shared.cases.moving import Shape, Types, by_litert
from tinyml_rules.ops._shared.cases.strategies import FEW, axes, shapes

TYPES = Types(("int8", "int16", "int32", "int64", "bool", "float32"), ("uint8",))
MOST_INPUTS = 10
"""Most inputs that TFLM takes."""


def concatenation(
    shapes: Sequence[Shape] = ((1, 2, 3), (1, 4, 3)),
    *,
    axis: int = 1,
    dtype: str = "int8",
    constants: Sequence[int] = (),
) -> ModelSpec:
    """Tensors of these `shapes`; those at the places `constants` are constants."""
    inputs = [plain(f"input_{place}", shape, dtype) for place, shape in enumerate(shapes)]
    inputs = [filled(each) if place in constants else each for place, each in enumerate(inputs)]
    result = [*shapes[0]]
    result[axis] = sum(shape[axis] for shape in shapes)
    options = {"Axis": axis}
    return model_of("CONCATENATION", inputs, plain("output", tuple(result), dtype), options=options)


def _twice(shape: Shape, axis: int) -> ModelSpec:
    """A tensor after itself."""
    result = [*shape]
    result[axis] *= 2
    return ModelSpec(
        (plain("input", shape), plain("output", tuple(result))),
        (OperatorSpec("CONCATENATION", (0, 0), (1,), {"Axis": axis}),),
        (0,),
        (1,),
    )


_INSIDE: tuple[Shape, ...] = ((2, 3), (2, 2))

CASES = {
    "outermost": random_case(concatenation()),
    "first_of_vectors": random_case(concatenation(((5,), (3,)), axis=0)),
    "batches": random_case(concatenation(((2, 3), (1, 3)), axis=0)),
    "channels": random_case(concatenation(((1, 3, 4, 2), (1, 3, 4, 5)), axis=3)),
    "negative_axis": random_case(concatenation(((1, 3, 4, 2), (1, 3, 4, 5)), axis=-1)),
    "negative_outermost": random_case(concatenation(axis=-2)),
    "middle": random_case(concatenation(((2, 2, 3), (2, 1, 3)), axis=1)),
    "one_input": random_case(concatenation(((2, 3),))),
    "three": random_case(concatenation(((2, 3), (2, 1), (2, 2)))),
    "most_inputs": random_case(concatenation(((1, 2),) * MOST_INPUTS)),
    "of_rank_5": random_case(concatenation(((2, 1, 2, 2, 3), (2, 1, 2, 1, 3)), axis=3)),
    "same_twice": random_case(_twice((1, 6), 1)),
    "same_twice_inside": random_case(_twice((3, 2), 1)),
    "constant_first": random_case(concatenation(constants=(0,))),
    "constant_second": random_case(concatenation(((2, 2), (2, 3)), constants=(1,))),
    "constants_around": random_case(concatenation(((1, 2), (1, 3), (1, 1)), constants=(0, 2))),
    "more_inputs": by_litert(concatenation(((1, 2),) * (MOST_INPUTS + 2))),
    **TYPES.cases(lambda dtype: concatenation(dtype=dtype), suffix="_outermost"),
    **TYPES.cases(lambda dtype: concatenation(_INSIDE, dtype=dtype), suffix="_inside"),
    **TYPES.cases(
        lambda dtype: concatenation(_INSIDE, dtype=dtype, constants=(1,)), suffix="_constant"
    ),
}


def _rejected(*errors: str, tensor: int, **changes: Any) -> Rejected:
    return Rejected(with_tensor(concatenation(), tensor, **changes), errors)


REJECTED = {
    "fused_activation": Rejected(
        with_options(concatenation(), FusedActivationFunction=Activation.RELU),
        ("fused activation RELU, expected none",),
    ),
    "unknown_activation": Rejected(
        with_options(concatenation(), FusedActivationFunction=9),
        ("fused activation 9, expected none",),
    ),
    "axis_outside": Rejected(
        with_options(concatenation(), Axis=3), ("axis 3, expected one of 3 dimensions",)
    ),
    "negative_axis_outside": Rejected(
        with_options(concatenation(), Axis=-4), ("axis -4, expected one of 3 dimensions",)
    ),
    "another_shape": _rejected(
        "input tensor #1 'input_1' has shape [1, 4, 2], expected that of tensor #0 'input_0', "
        "[1, 2, 3], in all dimensions but 1",
        tensor=1,
        shape=(1, 4, 2),
    ),
}


@st.composite
def _models(draw: st.DrawFn) -> Case:
    shape, sizes = draw(shapes()), draw(st.lists(FEW, min_size=1, max_size=4))
    axis, dtype = draw(axes(len(shape))), draw(TYPES.drawn)
    places = range(len(sizes))
    parts = [(*shape[: axis % len(shape)], size, *shape[axis % len(shape) + 1 :]) for size in sizes]
    constants = draw(st.sets(st.sampled_from(places), max_size=len(sizes) - 1))
    return TYPES.case(concatenation(parts, axis=axis, dtype=dtype, constants=sorted(constants)))


MODELS = _models()
