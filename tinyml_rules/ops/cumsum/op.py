"""CUMSUM: options, what may be wrong with a node, and its constants.

TFLM adds int8 values minus their zero point, shifted left by 19 bits, and begins at minus the zero
point instead of 0: if it is not 0, all sums are off by it, here too.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tinyml_rules.arithmetic.fixed_point import INT8_MAX, INT8_MIN, quantize_multiplier
from tinyml_rules.ir.c_struct import Int, Int8, Int32
from tinyml_rules.ir.condition import Condition
from tinyml_rules.ir.graph import NodeView
from tinyml_rules.ir.options import option
from tinyml_rules.ir.program import Work
from tinyml_rules.ops._shared.accumulate import beyond_int32
from tinyml_rules.ops._shared.axes import axes_of, check_axes

RAISED_BITS = 19
"""Left shift of the sums: TFLM's 20 bits and a multiplier of one half."""


@dataclass(frozen=True)
class Attrs:
    exclusive: bool = option(0, "bool", default=False)
    reverse: bool = option(1, "bool", default=False)


@dataclass(frozen=True)
class Walk:
    """Members of the C struct: the number of values along the axis, and in the dimensions after it;
    the index at which the sums begin, and the step from value to value; whether a sum excludes its
    own value."""

    length: Int
    inner: Int
    first: Int
    step: Int
    is_exclusive: Int8


@dataclass(frozen=True)
class Params(Walk):
    """The same with how sums are requantized."""

    multiplier: Int32
    shift: Int8
    input_zero_point: Int8
    output_zero_point: Int8


IN_ORDER = Condition[Walk](
    lambda walk: walk.step == 1, "the sums are not written from the first value to the last"
)
OUT_OF_ORDER = IN_ORDER.opposite("the sums are written from the first value to the last")


def check(view: NodeView) -> Iterator[str]:
    """The scales' factor is below 1, as TFLM's multiplier needs; the axis is one of the input."""
    source, result = view["input"], view.output
    if _factor(view) >= 1:
        yield (
            f"output tensor {result} has scale {result.scale:g}, "
            f"too small for the input's {source.scale:g}"
        )
    yield from check_axes(view)


def _factor(view: NodeView) -> float:
    """The factor from the shifted sums to the output's scale."""
    return 2 * view["input"].scale / (2**20 * view.output.scale)


def prepare_plain(view: NodeView) -> Work[Walk]:
    """One unit is the axis and the dimensions after it."""
    walk = _walk(view)
    return _work(view, walk, walk.length * walk.inner)


def prepare(view: NodeView) -> Work[Walk]:
    """The same; `CalculateOpData` of TFLM."""
    source, result, walk = view["input"], view.output, _walk(view)
    multiplier, shift = quantize_multiplier(_factor(view))
    params = Params(
        **vars(walk),
        multiplier=multiplier,
        shift=shift,
        input_zero_point=source.zero_point,
        output_zero_point=result.zero_point,
    )
    ends = [
        -source.zero_point + walk.length * (end - source.zero_point) for end in (INT8_MIN, INT8_MAX)
    ]
    least, most = (np.array([end << RAISED_BITS]) for end in ends)
    overflow = beyond_int32(least, most, multiplier, shift, zero_point=result.zero_point)
    return _work(view, params, walk.length * walk.inner, overflow)


def _walk(view: NodeView) -> Walk:
    attrs, shape = view.node.attrs, view["input"].shape
    assert isinstance(attrs, Attrs)
    (axis,) = axes_of(view)
    length, inner = shape[axis], math.prod(shape[axis + 1 :])
    return Walk(
        length=length,
        inner=inner,
        first=(length - 1) * inner if attrs.reverse else 0,
        step=-inner if attrs.reverse else inner,
        is_exclusive=int(attrs.exclusive),
    )


def _work(view: NodeView, params: Walk, unit: int, overflow: str = "") -> Work[Walk]:
    return Work(
        params=params,
        facts=params,
        inputs=(view["input"].index,),
        outputs=(view.output.index,),
        units=view.output.count // max(unit, 1),
        overflow=overflow,
    )
