"""Cases of LOGICAL_NOT: shapes, and what is refused."""

from __future__ import annotations

from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.case import Rejected, model_of, random_case, typed, with_tensor
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
REJECTED = {
    "int8": Rejected(
        with_tensor(logical_not(), 0, dtype="int8"),
        ("input tensor #0 'input' is int8, expected bool",),
    ),
    "to_int8": Rejected(
        with_tensor(logical_not(), 1, dtype="int8"),
        ("output tensor #1 'output' is int8, expected bool",),
    ),
    "another_shape": Rejected(
        with_tensor(logical_not(), 1, shape=(8,)),
        ("output tensor #1 'output' has shape [8], expected [1, 8]",),
    ),
}
MODELS = shapes(least_rank=0).map(logical_not)
