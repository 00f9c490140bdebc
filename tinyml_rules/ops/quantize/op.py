"""QUANTIZE: what may be wrong with a node, its constants and its meaning.

At a model's end the pass `partition_conversions` cuts the node off and leaves it to the caller.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tinyml_rules.arithmetic.fixed_point import (
    quantize_multiplier,
)
from tinyml_rules.ir.c_struct import Float32, Int8, Int32
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import NodeView
from tinyml_rules.ir.program import Work
from tinyml_rules.ops._shared import constraints
from tinyml_rules.ops._shared.pointwise import map_work


@dataclass(frozen=True)
class Params:
    """Members of the C struct."""

    multiplier: Int32
    shift: Int8
    input_zero_point: Int8
    output_zero_point: Int8


@dataclass(frozen=True)
class RealParams:
    """The same for real numbers."""

    scale: Float32
    zero_point: Int8


def check(view: NodeView) -> Iterator[str]:
    """int8 output; int8 or float32 input of the same shape."""
    source, result = view.input(0), view.output
    yield from constraints.quantized(result, "output")
    yield from constraints.shaped(result, source.shape)
    if source.dtype is not DType.FLOAT32:
        yield from constraints.quantized(source, "input")
        yield from constraints.rescaling(source, result)


def prepare_from_real(view: NodeView) -> Work:
    """One unit is one value."""
    result = view.output
    return map_work(view, RealParams(scale=result.scale, zero_point=result.zero_point))


def params_of(view: NodeView) -> Params:
    """`PrepareQuantizeReference` of TFLM: the quotient of the scales in double."""
    source, result = view.input(0), view.output
    multiplier, shift = quantize_multiplier(source.scale / result.scale)
    return Params(
        multiplier=multiplier,
        shift=shift,
        input_zero_point=source.zero_point,
        output_zero_point=result.zero_point,
    )
