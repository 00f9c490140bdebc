"""Operators that clamp real numbers at fixed bounds, between tensors that may be quantized
differently: `QuantizedReluX` of LiteRT."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from tinyml_rules.arithmetic.fixed_point import Activation
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared import constraints
from tinyml_rules.ops._shared.in_numpy import requantized
from tinyml_rules.ops._shared.pointwise import check_factor


def check_bounded(view: NodeView) -> Iterator[str]:
    """int32 holds the bounds in the output's quantization."""
    yield from check_factor(view)
    yield from constraints.resolvable_bounds(view.output, "output")


def bounded(view: NodeView, values: Mapping[int, Array], activation: Activation) -> Array:
    """The input in the output's quantization, within the bounds; the quotient of the scales is a
    float32."""
    source, result = view["input"], view.output
    quotient = np.float32(source.scale) / np.float32(result.scale)
    distances = values[source.index].astype(np.int64) - source.zero_point
    return requantized(result, distances, float(quotient), activation)
