"""RESHAPE: the same bytes under another shape; nothing is computed and nothing is copied.

The output tensor's own shape is taken, as TFLM does; the new shape in the options or in the second
input must agree with it, may have one -1, and is missing in some files.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.options import option
from tinyml_rules.ops._shared.operands import numbers
from tinyml_rules.ops._shared.operator import Meaning, Op, Role
from tinyml_rules.ops._shared.quantization import MOVES_FIRST_VERSION
from tinyml_rules.ops._shared.views import VIEW, layout


@dataclass(frozen=True)
class Attrs:
    """ReshapeOptions: for other interpreters, which do not take the output's shape."""

    new_shape: tuple[int, ...] = option(0, "int32[]", default=())


OPERANDS = {**VIEW, "shape": numbers()}


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The input's values in the output's shape."""
    return np.reshape(values[view["input"].index], view.output.shape)


OP = Op(
    name="reshape",
    builtin_code=22,
    options_type=17,
    attrs=Attrs,
    inputs=("input", "shape?"),
    may_be_empty=("shape",),
    summary="any type; shape from options, a constant or the output; free",
    role=Role.LAYOUT,
    layout=layout,
    meanings=(Meaning(operands=OPERANDS, oracle=oracle),),
    quantization=replace(MOVES_FIRST_VERSION, gives_shape=True),
)
