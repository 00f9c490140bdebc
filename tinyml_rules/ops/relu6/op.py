"""RELU6: its constants and its meaning.

TFLM clamps the input's numbers without rescaling them, so a model whose output is quantized
otherwise would silently mean something else: such a node is refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tinyml_rules.arithmetic.fixed_point import Activation, clamp_range
from tinyml_rules.ir.c_struct import Int8
from tinyml_rules.ir.graph import NodeView
from tinyml_rules.ops._shared import constraints
from tinyml_rules.ops._shared.pointwise import check_map


@dataclass(frozen=True)
class Params:
    """Members of the C struct."""

    clamp_min: Int8
    clamp_max: Int8


def check(view: NodeView) -> Iterator[str]:
    """int8 input and output of the same shape and quantization."""
    problems = [*check_map(view), *constraints.resolvable_bounds(view.input(0), "input")]
    yield from problems or constraints.same_quantization(view)


def params_of(view: NodeView) -> Params:
    """The clamps, in the input's quantization."""
    source = view.input(0)
    return Params(*clamp_range(Activation.RELU6, scale=source.scale, zero_point=source.zero_point))
