"""Cases of SQUEEZE: which dimensions go, types, and what is refused."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.case import (
    Case,
    model_of,
    plain,
    random_case,
)
from tinyml_rules.ops._shared.cases.moving import Shape, Types
from tinyml_rules.ops._shared.cases.strategies import shapes

TYPES = Types(("int8", "int16", "int32", "int64", "bool", "float32", "uint8"))


def squeeze(
    shape: Shape = (1, 3, 1, 2),
    result: Shape = (3, 2),
    *,
    dimensions: Sequence[int] | None = None,
    dtype: str = "int8",
) -> ModelSpec:
    """`dimensions`: those that the options name."""
    return model_of(
        "SQUEEZE",
        [plain("input", shape, dtype)],
        plain("output", result, dtype),
        options={} if dimensions is None else {"SqueezeDims": dimensions},
    )


CASES = {
    "all": random_case(squeeze()),
    "first": random_case(squeeze(result=(3, 1, 2), dimensions=(0,))),
    "inner": random_case(squeeze(result=(1, 3, 2), dimensions=(-2,))),
    "named": random_case(squeeze(dimensions=(0, 2))),
    "to_scalar": random_case(squeeze((1, 1), ())),
    "nothing": random_case(squeeze((2, 3), (2, 3))),
    "of_rank_6": random_case(squeeze((1, 2, 1, 3, 1, 2), (2, 3, 2))),
    **TYPES.cases(lambda dtype: squeeze(dtype=dtype)),
}


@st.composite
def _models(draw: st.DrawFn) -> Case:
    shape = draw(shapes(least_rank=0, most_rank=6, most=2))
    ones = [axis for axis, size in enumerate(shape) if size == 1]
    gone = sorted(draw(st.sets(st.sampled_from(ones)))) if ones else []
    is_named = bool(gone)
    left = [axis for axis in range(len(shape)) if axis not in (gone if is_named else ones)]
    signed = [axis - len(shape) if draw(st.booleans()) else axis for axis in gone]
    result, dtype = tuple(shape[axis] for axis in left), draw(TYPES.drawn)
    return TYPES.case(squeeze(shape, result, dimensions=signed if is_named else None, dtype=dtype))


MODELS = _models()
