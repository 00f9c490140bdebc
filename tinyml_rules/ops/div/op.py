"""DIV of int8: what may be wrong with a node, and its constants."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tinyml_rules.arithmetic.exponential import reciprocal_of_one_plus
from tinyml_rules.arithmetic.fixed_point import Activation, clamp_range, quantize_multiplier
from tinyml_rules.ir.c_struct import Int8, Int32
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.activated import activation_of
from tinyml_rules.ops._shared.broadcast import check_broadcast
from tinyml_rules.ops._shared.scales import product, quotient

MOST_FACTOR = 2.0**22
"""The last shift is never to the left: a dividend of 8 bits is raised by 23 or more."""
BY_ZERO = 1515870788
"""Minus what `GetReciprocal` of TFLM makes of 0, in Q0: its steps of Newton and Raphson wrap."""


@dataclass(frozen=True, eq=False)
class Params:
    """Members of the C struct."""

    reciprocals: Array
    multiplier: Int32
    shift: Int8
    first_zero_point: Int8
    second_zero_point: Int8
    output_zero_point: Int8
    clamp_min: Int8
    clamp_max: Int8


def check(view: NodeView) -> Iterator[str]:
    """Shapes that broadcast to the output's."""
    first, second, result = view["first input"], view["second input"], view.output
    yield from check_broadcast(view)
    if first.scale / (second.scale * result.scale) >= MOST_FACTOR:
        yield (
            f"output tensor {result} has scale {result.scale:g}, too small for a quotient of "
            f"{first.scale:g} and {second.scale:g}"
        )


def params_of(view: NodeView) -> Params:
    """Everything that does not depend on the input's values; `CalculateOpDataDiv` of TFLM."""
    first, second, result = view["first input"], view["second input"], view.output
    multiplier, shift = quantize_multiplier(
        quotient(view, first.scale, product(view, second.scale, result.scale))
    )
    clamp_min, clamp_max = clamp_range(
        Activation(activation_of(view)), scale=result.scale, zero_point=result.zero_point
    )
    return Params(
        reciprocals=reciprocal_of_one_plus(np.arange(128) << 24).astype(np.int32),
        multiplier=multiplier,
        shift=shift,
        first_zero_point=first.zero_point,
        second_zero_point=second.zero_point,
        output_zero_point=result.zero_point,
        clamp_min=clamp_min,
        clamp_max=clamp_max,
    )
