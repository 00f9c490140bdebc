"""ADD: the sum of two tensors, broadcast if their shapes differ."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.activated import ActivationAttrs, activation_of, check_activation
from tinyml_rules.ops._shared.broadcast import SECOND, constant_last, has_single_constants
from tinyml_rules.ops._shared.in_numpy import activated, evaluated, in_common_scale, requantized
from tinyml_rules.ops._shared.interval import rising
from tinyml_rules.ops._shared.operator import Op
from tinyml_rules.ops._shared.plain_values import (
    clamped_meaning,
    long_meaning,
    plain_meaning,
    unactivated,
    unscaled,
    wrapping,
)
from tinyml_rules.ops._shared.quantization import affine_rule
from tinyml_rules.ops._shared.rescaled_sum import sum_meanings

BITS = {DType.INT8: 20, DType.INT16: 15}
"""By which the inputs are shifted left before they are rescaled."""


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output of int8 and int16, shaped like the output tensor."""
    first, second, scale = in_common_scale(view, values, bits=BITS[view.output.dtype])
    factor = scale / view.output.scale
    return requantized(view.output, first + second, factor, activation_of(view))


def clamped(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output of float32, with a fused activation."""
    return activated(np.add, view, values)


def wrapped(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output of int32, without an activation."""
    return evaluated(np.add, view, values)


OP = Op(
    name="add",
    builtin_code=0,
    options_type=11,
    attrs=ActivationAttrs,
    inputs=("first input", "second input"),
    options=check_activation,
    summary="int8, int16, int32, int64, float32; broadcast up to 5 dimensions; either input "
    "constant; fused activation, but for int32 and int64",
    is_map=has_single_constants,
    meanings=(
        *sum_meanings("add", oracle, rising(oracle), called="sum", sign=1),
        plain_meaning(
            "add",
            DType.INT32,
            wrapping("+"),
            wrapped,
            constants=SECOND,
            order=constant_last,
            more=lambda view: (*unscaled(view), *unactivated(view)),
        ),
        long_meaning("add", "+", wrapped, constants=SECOND, order=constant_last),
        clamped_meaning(
            "add",
            DType.FLOAT32,
            "first + second",
            clamped,
            called="sum",
            constants=SECOND,
            order=constant_last,
        ),
    ),
    quantization=affine_rule(lambda values, _first: (np.ones(()), values), int16_version=3),
)
