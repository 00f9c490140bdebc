"""Cases of SELECT and SELECT_V2."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.broadcast import Shape
from tinyml_rules.ops._shared.cases.case import Rejected, filled, model_of, with_tensor
from tinyml_rules.ops._shared.cases.pairs import tensor

TYPES = ("int8", "int32", "int64", "float32", "bool")
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


def select_rejected(operator: str) -> Mapping[str, Rejected]:
    """Other types, and int8 in two quantizations."""
    model = select(operator)
    rule = (
        "expected those of the output, 0.3 and 3: the 8-bit specification asks for one quantization"
    )
    return {
        "condition_of_int8": Rejected(
            with_tensor(model, 0, dtype="int8"),
            ("condition tensor #0 'condition' is int8, expected bool",),
        ),
        "two_types": Rejected(
            with_tensor(model, 2, dtype="int32"),
            ("third input tensor #2 'third' is int32, expected int8",),
        ),
        "another_scale": Rejected(
            with_tensor(model, 1, scales=(0.5,)),
            (f"input tensor #1 'second' has scale 0.5 and zero point 3, {rule}",),
        ),
        "without_scale": Rejected(
            with_tensor(model, 3, scales=(), zero_points=()),
            ("output tensor #3 'output' has no scale and zero point",),
        ),
    }
