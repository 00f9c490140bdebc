"""SUB: the difference of two tensors, broadcast if their shapes differ."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.activated import ActivationAttrs, activation_of, check_activation
from tinyml_rules.ops._shared.broadcast import has_single_constants
from tinyml_rules.ops._shared.in_numpy import activated, in_common_scale, requantized
from tinyml_rules.ops._shared.interval import rising
from tinyml_rules.ops._shared.operator import Op
from tinyml_rules.ops._shared.plain_values import clamped_meaning, long_meaning, unscaled, wrapping
from tinyml_rules.ops._shared.quantization import Numbers, affine_rule
from tinyml_rules.ops._shared.rescaled_sum import sum_meanings

BITS = {DType.INT8: 20, DType.INT16: 15}
"""By which the inputs are shifted left before they are rescaled."""


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output of int8 and int16, shaped like the output tensor."""
    first, second, scale = in_common_scale(view, values, bits=BITS[view.output.dtype])
    factor = scale / view.output.scale
    return requantized(view.output, first - second, factor, activation_of(view))


def clamped(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output of unquantized values, with a fused activation."""
    return activated(np.subtract, view, values)


def _difference(values: Numbers, is_first: bool) -> tuple[Numbers, Numbers]:
    """The factor and the term, of a constant that is the first operand or the second."""
    return (-np.ones(()), values) if is_first else (np.ones(()), -values)


OP = Op(
    name="sub",
    builtin_code=41,
    options_type=28,
    attrs=ActivationAttrs,
    inputs=("first input", "second input"),
    options=check_activation,
    summary="int8, int16, int32, int64, float32; broadcast up to 5 dimensions; either input "
    "constant; fused activation, but for int64",
    is_map=has_single_constants,
    meanings=(
        *sum_meanings("sub", oracle, rising(oracle, falls=(1,)), called="difference", sign=-1),
        clamped_meaning(
            "sub", DType.INT32, wrapping("-"), clamped, called="difference", more=unscaled
        ),
        long_meaning("sub", "-", clamped),
        clamped_meaning("sub", DType.FLOAT32, "first - second", clamped, called="difference"),
    ),
    quantization=affine_rule(_difference, int16_version=5),
)
