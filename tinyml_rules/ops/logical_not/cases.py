"""Cases of LOGICAL_NOT: shapes, and what is refused."""

from __future__ import annotations

from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.case import model_of, random_case, typed
from tinyml_rules.ops._shared.cases.strategies import Shape, shapes


def logical_not(shape: Shape = (1, 8)) -> ModelSpec:
    """A LOGICAL_NOT node."""
    return model_of("LOGICAL_NOT", (typed("input", shape, "bool"),), typed("output", shape, "bool"))


CASES = {
    "row": random_case(logical_not()),
    "rank_4": random_case(logical_not((2, 3, 2, 5))),
    "scalar": random_case(logical_not(())),
    "many": random_case(logical_not((30, 40))),
}
MODELS = shapes(least_rank=0).map(logical_not)
