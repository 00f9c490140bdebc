"""Cases of SELECT_V2: types, constants, and shapes of three operands that broadcast."""

from __future__ import annotations

from hypothesis import strategies as st

from tinyml_rules.ops._shared.cases.case import Case, Reference, Rejected, random_case
from tinyml_rules.ops._shared.cases.selection import (
    CONSTANTS,
    TYPES,
    select,
)
from tinyml_rules.ops._shared.cases.strategies import broadcast_shapes

_OF_LITERT = ("int32", "int64", "bool")
_SHAPES = {
    "same": ((2, 3, 4), (2, 3, 4), (2, 3, 4)),
    "scalars": ((2, 3, 4), (), (1,)),
    "one_condition": ((1, 1), (2, 3, 4), (2, 3, 4)),
    "rows": ((2, 1, 1), (2, 3, 4), (3, 4)),
    "all_three": ((2, 1, 1, 1), (1, 3, 1, 5), (4, 1)),
    "five_dimensions": ((2, 1, 3, 1, 2), (1, 4, 1, 2, 2), (2,)),
    "six_dimensions": ((2, 1, 1, 1, 1, 2), (2, 2, 1, 3, 2, 1), (1, 2, 1, 3, 2, 1)),
}


def _case(dtype: str, *args: object, **more: object) -> Case:
    model = select("SELECT_V2", dtype, *args, **more)  # type: ignore[arg-type]
    reference = Reference.LITERT if dtype in _OF_LITERT else Reference.TFLM
    return random_case(model, reference=reference)


CASES = {
    **{f"int8_{name}": _case("int8", shapes) for name, shapes in _SHAPES.items()},
    **{
        f"{dtype}{suffix}": _case(dtype, constants=constants)
        for dtype in TYPES
        for suffix, constants in CONSTANTS.items()
    },
    **{f"{dtype}_broadcast": _case(dtype, _SHAPES["all_three"]) for dtype in TYPES},
    "int8_scalar_constants": _case("int8", _SHAPES["scalars"], constants=(1, 2)),
    "int8_row_of_constants": _case("int8", ((2, 3, 4), (4,), (2, 3, 4)), constants=(1,)),
}

SAMPLES = tuple(
    f"{dtype}{suffix}"
    for dtype in TYPES
    for suffix in (*[each for each in CONSTANTS if "condition" not in each], "_broadcast")
)
"""Cases between which every kernel is used."""

REJECTED = {
    "shapes": Rejected(
        select("SELECT_V2", shapes=((2, 3, 4), (2, 3, 4), (5,)), result=(2, 3, 4)),
        ("shapes [2, 3, 4] and [2, 3, 4] and [5] do not broadcast",),
    ),
    "broadcast_of_rank_6": Rejected(
        select("SELECT_V2", shapes=((2, 1, 2, 1, 2, 1), (1, 2, 1, 2, 1, 2), (1,))),
        ("broadcast over 6 dimensions, expected at most 5",),
    ),
}


@st.composite
def _models(draw: st.DrawFn) -> Case:
    shapes = draw(broadcast_shapes(count=3, most_rank=5, most=3))
    constants = draw(st.sampled_from(tuple(CONSTANTS.values())))
    return _case(draw(st.sampled_from(TYPES)), shapes, constants=constants)


MODELS = _models()
