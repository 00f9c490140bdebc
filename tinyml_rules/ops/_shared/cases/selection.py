"""Cases of SELECT and SELECT_V2."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.broadcast import Shape
from tinyml_rules.ops._shared.cases.case import filled, model_of
from tinyml_rules.ops._shared.cases.pairs import tensor

TYPES = ("int8", "int16", "int32", "int64", "float32", "bool")
SHAPE = (2, 3, 4)
CONSTANTS = {
    "": (),
    "_constant_second": (1,),
    "_constant_third": (2,),
    "_two_constants": (1, 2),
    "_constant_condition": (0,),
    "_constant_condition_and_second": (0, 1),
}


def select(
    operator: str,
    dtype: str = "int8",
    shapes: tuple[Shape, Shape, Shape] = (SHAPE, SHAPE, SHAPE),
    *,
    constants: Sequence[int] = (),
    result: Shape | None = None,
) -> ModelSpec:
    """A condition and two values; `constants` are places."""
    inputs = [
        tensor("condition", shapes[0], "bool"),
        tensor("second", shapes[1], dtype),
        tensor("third", shapes[2], dtype),
    ]
    inputs = [
        filled(each, seed=place) if place in constants else each
        for place, each in enumerate(inputs)
    ]
    shape = np.broadcast_shapes(*shapes) if result is None else result
    return model_of(operator, inputs, tensor("output", shape, dtype))
