"""Cases of BROADCAST_ARGS: ranks, types, and what is refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.case import (
    Case,
    Rejected,
    model_of,
    random_case,
    typed,
    with_tensor,
)
from tinyml_rules.ops._shared.cases.moving import integers, with_an_input
from tinyml_rules.ops._shared.cases.strategies import broadcast_shapes


def broadcast_args(
    first: Sequence[int] = (3, 1), second: Sequence[int] = (2, 1, 4), *, dtype: str = "int32"
) -> ModelSpec:
    """Two constant shapes."""
    inputs = [integers("first", first, dtype), integers("second", second, dtype)]
    rank = max(len(first), len(second))
    return with_an_input(model_of("BROADCAST_ARGS", inputs, typed("output", (rank,), dtype)))


CASES = {
    "both": random_case(broadcast_args()),
    "equal": random_case(broadcast_args((2, 3), (2, 3))),
    "longer_first": random_case(broadcast_args((4, 2, 3), (1, 3))),
    "of_one": random_case(broadcast_args((5,), (1,))),
    "int64": random_case(broadcast_args(dtype="int64")),
}


def _rejected(*errors: str, tensor: int, **changes: Any) -> Rejected:
    return Rejected(with_tensor(broadcast_args(), tensor, **changes), errors)


REJECTED = {
    "do_not_broadcast": _rejected(
        "shapes [3, 1] and [2, 2, 4] do not broadcast",
        tensor=1,
        data=np.array([2, 2, 4], np.int32),
    ),
}


@st.composite
def _models(draw: st.DrawFn) -> Case:
    pair = draw(broadcast_shapes().filter(all))
    return random_case(broadcast_args(*pair, dtype=draw(st.sampled_from(("int32", "int64")))))


MODELS = _models()
