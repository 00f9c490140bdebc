"""Cases of LOGICAL_AND and LOGICAL_OR."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import strategies as st

from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.case import Case, Rejected, random_case
from tinyml_rules.ops._shared.cases.pairs import (
    KINDS,
    broadcast_cases,
    every_pair,
    pair,
    pair_models,
)

SAMPLES = tuple(f"bool{kind}" for kind in KINDS)
"""Cases between which every kernel is used."""


def logical_cases(operator: str) -> dict[str, Case]:
    """Each value with each, and shapes that broadcast."""
    return {
        **broadcast_cases(operator, "bool", most_rank=4),
        "every_pair": every_pair(pair(operator, "bool")),
        "scalar_with_a_constant_of_rank_1": random_case(
            pair(operator, "bool", (1,), (), constants=(True, False))
        ),
    }


def logical_models(operator: str) -> st.SearchStrategy[ModelSpec]:
    """All that they take."""
    return pair_models(operator, ("bool",), most_rank=4)


def logical_rejected(operator: str) -> Mapping[str, Rejected]:
    """More dimensions than TFLM broadcasts."""
    return {
        "broadcast_of_rank_5": Rejected(
            pair(operator, "bool", (2, 1, 3, 1, 2), (2,)),
            ("broadcast over 5 dimensions, expected at most 4",),
        ),
    }
