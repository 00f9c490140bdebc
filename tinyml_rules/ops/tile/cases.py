"""Cases of TILE, which TFLM does not have: multiples, types, and what is refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.case import Case, Rejected, model_of, plain, with_tensor
from tinyml_rules.ops._shared.cases.moving import Shape, Types, integers
from tinyml_rules.ops._shared.cases.strategies import FEW, shapes

TYPES = Types((), ("int8", "int16", "int32", "int64", "bool", "float32", "uint8"))


def tile(
    shape: Shape = (2, 3),
    multiples: Sequence[int] = (2, 3),
    *,
    dtype: str = "int8",
    of_multiples: str = "int32",
) -> ModelSpec:
    """The tensor so many times along each dimension."""
    sizes = tuple(size * times for size, times in zip(shape, multiples, strict=True))
    inputs = [plain("input", shape, dtype), integers("multiples", multiples, of_multiples)]
    return model_of("TILE", inputs, plain("output", sizes, dtype), version=2)


CASES = {
    "both": TYPES.case(tile()),
    "rows": TYPES.case(tile(multiples=(3, 1))),
    "columns": TYPES.case(tile(multiples=(1, 3))),
    "nothing": TYPES.case(tile(multiples=(1, 1))),
    "vector": TYPES.case(tile((3,), (4,))),
    "upsampled": TYPES.case(tile((1, 2, 1, 3, 1, 2), (1, 1, 2, 1, 2, 1))),
    "every_dimension_of_5": TYPES.case(tile((2, 2, 2, 2, 2), (2, 2, 2, 2, 2))),
    "every_dimension_of_6": TYPES.case(tile((2, 2, 2, 2, 2, 2), (2, 2, 2, 2, 2, 2))),
    "int64_multiples": TYPES.case(tile(of_multiples="int64")),
    **TYPES.cases(lambda dtype: tile(dtype=dtype)),
}


def _rejected(*errors: str, tensor: int, **changes: Any) -> Rejected:
    return Rejected(with_tensor(tile(), tensor, **changes), errors)


REJECTED = {
    "negative": _rejected(
        "output tensor #2 'output' has shape [4, 9], expected [-4, 9]",
        tensor=1,
        data=np.array([-2, 3], np.int32),
    ),
}


@st.composite
def _models(draw: st.DrawFn) -> Case:
    shape = draw(shapes(most=4))
    multiples = [draw(FEW) for _ in shape]
    places = draw(st.sampled_from(("int32", "int64")))
    return TYPES.case(tile(shape, multiples, dtype=draw(TYPES.drawn), of_multiples=places))


MODELS = _models()
