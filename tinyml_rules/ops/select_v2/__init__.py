"""SELECT_V2: one of two values by a condition; all three broadcast."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.broadcast import check_broadcast, has_single_constants, inputs_of
from tinyml_rules.ops._shared.operator import Op
from tinyml_rules.ops._shared.quantization import MOVES_FIRST_VERSION
from tinyml_rules.ops._shared.selection import TYPES, select_meanings


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor."""
    condition, first, second = (values[each.index] for each in view.inputs if each is not None)
    return np.where(condition, first, second)


OP = Op(
    name="select_v2",
    builtin_code=123,
    options_type=98,
    inputs=("condition", "second input", "third input"),
    summary=f"{', '.join(TYPES)}; broadcast up to 5 dimensions; any input constant; int8, int16 "
    "in one quantization",
    is_map=has_single_constants,
    meanings=select_meanings(oracle, check_broadcast, inputs_of),
    quantization=MOVES_FIRST_VERSION,
)
