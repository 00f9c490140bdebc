"""Cases of MAXIMUM and MINIMUM."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import strategies as st

from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.case import Case, Rejected, random_case, with_tensor
from tinyml_rules.ops._shared.cases.pairs import (
    KINDS,
    KINDS_OF_FIRST,
    broadcast_cases,
    every_pair,
    pair,
    pair_models,
)
from tinyml_rules.ops._shared.cases.shorts import short_pair_models

TYPES = ("int8", "int16", "int32", "int64", "float32")
SAMPLES = tuple(f"{dtype}{kind}" for dtype in TYPES for kind in (*KINDS, *KINDS_OF_FIRST))
"""Cases between which every kernel is used."""


def extremum_cases(operator: str) -> dict[str, Case]:
    """All types, with each other's special values: zeros of either sign, what is no number."""
    found: dict[str, Case] = {
        "table": random_case(pair(operator, "int8", (8, 64), (1,), constants=(False, True))),
    }
    for dtype in TYPES:
        found |= broadcast_cases(operator, dtype)
        found[f"{dtype}_special"] = every_pair(pair(operator, dtype))
    return found


def extremum_models(operator: str) -> st.SearchStrategy[ModelSpec | Case]:
    """All that they take."""
    types = [each for each in TYPES if each != "int16"]
    plain = pair_models(operator, types, has_one_quantization=True)
    return plain | short_pair_models(operator, has_one_scale=True)


def extremum_rejected(operator: str) -> Mapping[str, Rejected]:
    """Shapes that do not broadcast."""
    model = pair(operator, "int8")
    return {
        "int16_of_other_scale": Rejected(
            with_tensor(pair(operator, "int16"), 0, scales=(0.4,)),
            (
                "first input tensor #0 'first' has scale 0.4 and zero point 0, expected those of "
                "the output, 0.3 and 0: the 8-bit specification asks for one quantization",
            ),
        ),
        "shapes": Rejected(
            with_tensor(model, 1, shape=(1, 4, 5)),
            ("shapes [1, 4, 6] and [1, 4, 5] do not broadcast",),
        ),
    }
