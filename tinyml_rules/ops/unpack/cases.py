"""Cases of UNPACK: axes, types, and what is refused."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.case import (
    Case,
    Rejected,
    model_of,
    plain,
    random_case,
    with_options,
    with_tensor,
)
from tinyml_rules.ops._shared.cases.moving import Shape, Types
from tinyml_rules.ops._shared.cases.strategies import axes, shapes

TYPES = Types(("int8", "int16", "int32", "float32"), ("bool", "uint8"))


def unpack(shape: Shape = (2, 3, 4), *, axis: int = 0, dtype: str = "int8") -> ModelSpec:
    """Every place along the axis as a tensor."""
    place = axis + len(shape) if axis < 0 else axis
    count, result = shape[place], (*shape[:place], *shape[place + 1 :])
    outputs = [plain(f"output_{number}", result, dtype) for number in range(count)]
    options = {"Num": count, "Axis": axis}
    return model_of("UNPACK", [plain("input", shape, dtype)], *outputs, options=options)


CASES = {
    "outermost": random_case(unpack()),
    "middle": random_case(unpack(axis=1)),
    "last": random_case(unpack(axis=2)),
    "negative_last": random_case(unpack(axis=-1)),
    "negative_first": random_case(unpack(axis=-3)),
    "one_output": random_case(unpack((1, 5))),
    "behind_a_1": random_case(unpack((1, 3, 4), axis=1)),
    "to_scalars": random_case(unpack((3,))),
    "of_rank_4": random_case(unpack((2, 1, 3, 2), axis=2)),
    **TYPES.cases(lambda dtype: unpack(dtype=dtype), suffix="_outermost"),
    **TYPES.cases(lambda dtype: unpack(axis=2, dtype=dtype), suffix="_inside"),
}


def _rejected(*errors: str, tensor: int, **changes: Any) -> Rejected:
    return Rejected(with_tensor(unpack(), tensor, **changes), errors)


REJECTED = {
    "other_count": Rejected(with_options(unpack(), Num=3), ("2 tensors, but the options say 3",)),
    "axis_outside": Rejected(
        with_options(unpack(), Axis=-4), ("axis -4, expected one of 3 dimensions",)
    ),
    "wrong_output_shape": _rejected(
        "tensor #2 'output_1' has shape [4, 3], expected [3, 4]", tensor=2, shape=(4, 3)
    ),
    "more_places": _rejected(
        "tensor #0 'input' has 3 in dimension 0, expected 2", tensor=0, shape=(3, 3, 4)
    ),
}


@st.composite
def _models(draw: st.DrawFn) -> Case:
    shape = draw(shapes())
    return TYPES.case(unpack(shape, axis=draw(axes(len(shape))), dtype=draw(TYPES.drawn)))


MODELS = _models()
