"""Cases of DYNAMIC_UPDATE_SLICE: begins, types, and what is refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.case import (
    Case,
    Rejected,
    filled,
    model_of,
    plain,
    random,
    typed,
    with_tensor,
)
from tinyml_rules.ops._shared.cases.moving import Shape, Types, integers
from tinyml_rules.ops._shared.cases.strategies import shapes

TYPES = Types(("int8", "int16", "int32", "float32"), ("int64", "bool", "uint8"))


def update_slice(
    shape: Shape = (4, 5),
    update: Shape = (2, 3),
    begin: Sequence[int] | None = None,
    *,
    dtype: str = "int8",
    places: str = "int32",
    constant: str = "",
) -> ModelSpec:
    """A begin of None is computed; the input or the update, by its name, may be a constant."""
    at = typed("begin", (len(shape),), places)
    tensors = [plain("input", shape, dtype), plain("update", update, dtype)]
    tensors = [filled(each) if each.name == constant else each for each in tensors]
    inputs = [*tensors, at if begin is None else integers("begin", begin, places)]
    return model_of("DYNAMIC_UPDATE_SLICE", inputs, plain("output", shape, dtype))


def _case(model: ModelSpec) -> Case:
    """Computed begins are on both sides of the possible range."""
    found = TYPES.case(model)
    if 2 not in model.inputs:
        return found
    *values, begins = found.samples
    below, most = -2, max(model.tensors[0].shape) + 2
    begins = random(5).integers(below, most, begins.shape).astype(begins.dtype)
    return replace(found, samples=(*values, begins))


CASES = {
    "computed": _case(update_slice()),
    "computed_of_int64": _case(update_slice(places="int64")),
    "row_of_a_cache": _case(update_slice((6, 4), (1, 4))),
    "whole": _case(update_slice(update=(4, 5))),
    "one_value": _case(update_slice(update=(1, 1))),
    "vector": _case(update_slice((7,), (3,))),
    "of_rank_5": _case(update_slice((2, 3, 2, 3, 2), (1, 2, 2, 1, 1))),
    "constant_begin": _case(update_slice(begin=(1, 2))),
    "constant_begin_outside": _case(update_slice(begin=(-1, 4))),
    "constant_rows": _case(update_slice(update=(2, 5), begin=(1, 0))),
    "constant_input": _case(update_slice(constant="input")),
    "constant_update": _case(update_slice(constant="update")),
    **{
        f"computed_{name}": _case(update_slice(dtype=name)) for name in (*TYPES.tflm, *TYPES.litert)
    },
}


def _rejected(*errors: str, tensor: int, **changes: Any) -> Rejected:
    return Rejected(with_tensor(update_slice(), tensor, **changes), errors)


SAMPLES = ("computed", "computed_of_int64", "constant_update", "constant_begin")
"""Cases with each form of copies."""

REJECTED = {
    "too_large": _rejected(
        "update tensor #1 'update' has shape [5, 3], which does not fit into [4, 5]",
        tensor=1,
        shape=(5, 3),
    ),
    "of_another_rank": _rejected(
        "update tensor #1 'update' has shape [3], which does not fit into [4, 5]",
        tensor=1,
        shape=(3,),
    ),
}


@st.composite
def _models(draw: st.DrawFn) -> Case:
    shape = draw(shapes())
    update = tuple(draw(st.integers(1, most)) for most in shape)
    begin = [draw(st.integers(-2, most + 2)) for most in shape] if draw(st.booleans()) else None
    return _case(
        update_slice(
            shape,
            update,
            begin,
            dtype=draw(TYPES.drawn),
            places=draw(st.sampled_from(("int32", "int64"))),
            constant=draw(st.sampled_from(("", "input", "update"))),
        )
    )


MODELS = _models()
