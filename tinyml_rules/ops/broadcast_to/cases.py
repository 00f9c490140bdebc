"""Cases of BROADCAST_TO: ranks, types, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.case import Case, Rejected, model_of, plain, with_tensor
from tinyml_rules.ops._shared.cases.moving import Shape, Types, by_litert, integers
from tinyml_rules.ops._shared.cases.strategies import shapes

TYPES = Types(("int8", "int16", "int32", "int64", "bool", "float32", "uint8"))


def broadcast_to(
    shape: Shape = (3, 1),
    result: Shape = (2, 3, 4),
    *,
    dtype: str = "int8",
    of_shape: str = "int32",
) -> ModelSpec:
    """Dimensions of 1, and those that are not there, as often as `result` has them."""
    inputs = [plain("input", shape, dtype), integers("shape", result, of_shape)]
    return model_of("BROADCAST_TO", inputs, plain("output", result, dtype), version=3)


CASES = {
    "both": TYPES.case(broadcast_to()),
    "columns": TYPES.case(broadcast_to((3, 1), (3, 4))),
    "rows": TYPES.case(broadcast_to((1, 3), (4, 3))),
    "new_rows": TYPES.case(broadcast_to((3,), (4, 3))),
    "one_value": TYPES.case(broadcast_to((1,), (2, 2, 3))),
    "between": TYPES.case(broadcast_to((2, 1, 3), (2, 4, 3))),
    "nothing": TYPES.case(broadcast_to((2, 3), (2, 3))),
    "int64_shape": TYPES.case(broadcast_to(of_shape="int64")),
    "of_rank_5": TYPES.case(broadcast_to((2, 1, 2, 1, 3), (2, 3, 2, 2, 3))),
    "of_rank_6": by_litert(broadcast_to((2, 1, 2, 1, 3, 1), (2, 3, 2, 2, 3, 2))),
    **TYPES.cases(lambda dtype: broadcast_to(dtype=dtype)),
}


def _rejected(*errors: str, tensor: int, **changes: Any) -> Rejected:
    return Rejected(with_tensor(broadcast_to(), tensor, **changes), errors)


def _shape(*values: int) -> dict[str, Any]:
    return {"tensor": 1, "shape": (len(values),), "data": np.array(values, np.int32)}


REJECTED = {
    "another_size": _rejected(
        "input tensor #0 'input', [3, 1], does not broadcast to [2, 2, 4]", **_shape(2, 2, 4)
    ),
    "too_few_dimensions": _rejected(
        "input tensor #0 'input', [3, 1], does not broadcast to [3]", **_shape(3)
    ),
    "negative": _rejected(
        "output tensor #2 'output' has shape [2, 3, 4], expected [-2, 3, 4]", **_shape(-2, 3, 4)
    ),
}


@st.composite
def _models(draw: st.DrawFn) -> Case:
    result = draw(shapes(most_rank=5, most=4))
    source = tuple(size if draw(st.booleans()) else 1 for size in result)
    source = source[draw(st.integers(0, len(source) - 1)) :]
    places = draw(st.sampled_from(("int32", "int64")))
    return TYPES.case(broadcast_to(source, result, dtype=draw(TYPES.drawn), of_shape=places))


MODELS = _models()
