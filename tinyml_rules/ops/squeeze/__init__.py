"""SQUEEZE: the same bytes without dimensions of 1.  The output tensor's own shape is taken, as TFLM
does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.options import option
from tinyml_rules.ops._shared.operator import Meaning, Op, Role
from tinyml_rules.ops._shared.quantization import MOVES_FIRST_VERSION
from tinyml_rules.ops._shared.views import VIEW, layout


@dataclass(frozen=True)
class Attrs:
    """SqueezeOptions: for other interpreters, which do not take the output's shape."""

    dimensions: tuple[int, ...] = option(0, "int32[]", default=())


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The input's values in the output's shape."""
    return np.reshape(values[view["input"].index], view.output.shape)


OP = Op(
    name="squeeze",
    builtin_code=43,
    options_type=30,
    attrs=Attrs,
    inputs=("input",),
    summary="any type; shape from the output; free",
    role=Role.LAYOUT,
    layout=layout,
    meanings=(Meaning(operands=VIEW, oracle=oracle),),
    quantization=MOVES_FIRST_VERSION,
)
