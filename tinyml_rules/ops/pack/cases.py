"""Cases of PACK: axes, types, constants, and what is refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

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
from tinyml_rules.ops._shared.cases.moving import Shape, Types
from tinyml_rules.ops._shared.cases.strategies import FEW, axes, shapes

TYPES = Types(("int8", "int16", "int32", "int64", "float32"), ("uint8",))


def pack(
    shape: Shape = (2, 3),
    count: int = 2,
    *,
    axis: int = 0,
    dtype: str = "int8",
    constants: Sequence[int] = (),
) -> ModelSpec:
    """`count` tensors of a shape; those at the places `constants` are constants."""
    inputs = [plain(f"input_{place}", shape, dtype) for place in range(count)]
    inputs = [filled(each) if place in constants else each for place, each in enumerate(inputs)]
    place = axis + len(shape) + 1 if axis < 0 else axis
    result = plain("output", (*shape[:place], count, *shape[place:]), dtype)
    return model_of("PACK", inputs, result, options={"ValuesCount": count, "Axis": axis})


_TWICE = ModelSpec(
    (plain("input", (3,)), plain("output", (2, 3))),
    (OperatorSpec("PACK", (0, 0), (1,), {"ValuesCount": 2}),),
    (0,),
    (1,),
)

CASES = {
    "outermost": random_case(pack()),
    "middle": random_case(pack(axis=1)),
    "last": random_case(pack(axis=2, count=3)),
    "negative_last": random_case(pack(axis=-1)),
    "negative_first": random_case(pack(axis=-3)),
    "one_input": random_case(pack(count=1)),
    "scalars": random_case(pack((), 4)),
    "of_rank_3": random_case(pack((2, 1, 3), axis=2)),
    "same_twice": random_case(_TWICE),
    "constant": random_case(pack(constants=(0,))),
    "constant_inside": random_case(pack(axis=2, constants=(1,))),
    **TYPES.cases(lambda dtype: pack(dtype=dtype), suffix="_outermost"),
    **TYPES.cases(lambda dtype: pack(axis=2, dtype=dtype), suffix="_inside"),
}


def _rejected(*errors: str, tensor: int, **changes: Any) -> Rejected:
    return Rejected(with_tensor(pack(), tensor, **changes), errors)


SAMPLES = ("constant",)
"""Cases in which elements are copied."""

REJECTED = {
    "other_count": Rejected(
        with_options(pack(), ValuesCount=3), ("2 tensors, but the options say 3",)
    ),
    "axis_outside": Rejected(
        with_options(pack(), Axis=3), ("axis 3, expected one of 3 dimensions",)
    ),
    "other_axis": Rejected(
        with_options(pack(), Axis=2),
        (
            "tensor #2 'output' has 3 in dimension 2, expected 2",
            "tensor #0 'input_0' has shape [2, 3], expected [2, 2]",
            "tensor #1 'input_1' has shape [2, 3], expected [2, 2]",
        ),
    ),
    "another_shape": _rejected(
        "tensor #1 'input_1' has shape [3, 2], expected [2, 3]", tensor=1, shape=(3, 2)
    ),
}


@st.composite
def _models(draw: st.DrawFn) -> Case:
    shape, count = draw(shapes(least_rank=0, most_rank=3)), draw(FEW)
    axis, dtype = draw(axes(len(shape) + 1)), draw(TYPES.drawn)
    constants = draw(st.sets(st.integers(0, count - 1), max_size=count - 1))
    return TYPES.case(pack(shape, count, axis=axis, dtype=dtype, constants=sorted(constants)))


MODELS = _models()
