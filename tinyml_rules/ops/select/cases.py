"""Cases of SELECT: types, constants, conditions of a row each.  TFLM does not have it."""

from __future__ import annotations

from hypothesis import strategies as st

from tinyml_rules.ops._shared.cases.case import Case, Reference, Rejected, random_case, with_tensor
from tinyml_rules.ops._shared.cases.selection import (
    CONSTANTS,
    SHAPE,
    TYPES,
    select,
)
from tinyml_rules.ops._shared.cases.strategies import shapes

_ROWS = (SHAPE[:1], SHAPE, SHAPE)


def _case(dtype: str, *args: object, **more: object) -> Case:
    model = select("SELECT", dtype, *args, **more)  # type: ignore[arg-type]
    return random_case(model, reference=Reference.LITERT)


CASES = {
    **{
        f"{dtype}{suffix}": _case(dtype, constants=constants)
        for dtype in TYPES
        for suffix, constants in CONSTANTS.items()
    },
    **{f"{dtype}_rows": _case(dtype, _ROWS, result=SHAPE) for dtype in TYPES},
    "constant_rows": _case("int8", _ROWS, constants=(0,), result=SHAPE),
    "scalar_condition": _case("int8", ((), SHAPE, SHAPE)),
    "rank_1": _case("int8", ((5,), (5,), (5,))),
}

SAMPLES = tuple(
    f"{dtype}{suffix}"
    for dtype in TYPES
    for suffix in (*[each for each in CONSTANTS if "condition" not in each], "_rows")
)
"""Cases between which every kernel is used."""

REJECTED = {
    "shapes": Rejected(
        with_tensor(select("SELECT"), 1, shape=(4,)),
        ("second input tensor #1 'second' has shape [4], expected [2, 3, 4]",),
    ),
    "condition_of_columns": Rejected(
        with_tensor(select("SELECT"), 0, shape=(4,)),
        ("condition tensor #0 'condition' has shape [4], expected [2, 3, 4] or [2]",),
    ),
}


@st.composite
def _models(draw: st.DrawFn) -> Case:
    shape = draw(shapes())
    condition = draw(st.sampled_from((shape, shape[:1])))
    constants = draw(st.sampled_from(tuple(CONSTANTS.values())))
    dtype = draw(st.sampled_from(TYPES))
    return _case(dtype, (condition, shape, shape), constants=constants, result=shape)


MODELS = _models()
