"""MEAN_SQUARED_DIFFERENCE: inputs of one number of elements, and a number with fraction bits, which
are the output's scale."""

from __future__ import annotations

from dataclasses import dataclass

from tinyml_rules.arithmetic.exact_scale import LEAST, MOST
from tinyml_rules.arithmetic.fixed_point import INT32_MAX
from tinyml_rules.arithmetic.squared_difference import difference_of
from tinyml_rules.ir.c_struct import Int, Int32
from tinyml_rules.ir.condition import Condition
from tinyml_rules.ir.graph import NodeView
from tinyml_rules.ir.program import Work


@dataclass(frozen=True)
class Params:
    """Members of the C struct: elements, the zero points of both inputs, and how the sums of
    products become the result (`SquaredDifference`)."""

    count: Int
    zero_point: Int
    other_zero_point: Int
    multiplier: Int32
    product_multiplier: Int32
    other_multiplier: Int32
    shift: Int


def prepare(view: NodeView) -> Work[Params]:
    """All elements of both inputs."""
    one, other = view["first input"], view["second input"]
    made = difference_of(one, other, view.output)
    multiplier, product_multiplier, other_multiplier = made.multipliers
    params = Params(
        count=one.count,
        zero_point=one.zero_point,
        other_zero_point=other.zero_point,
        multiplier=multiplier,
        product_multiplier=product_multiplier,
        other_multiplier=other_multiplier,
        shift=made.shift,
    )
    return Work(
        params=params,
        facts=params,
        inputs=(one.index, other.index),
        outputs=(view.output.index,),
    )


def _fits_int32(params: Params) -> bool:
    zero_points = (params.zero_point, params.other_zero_point)
    most = max(max(MOST - each, each - LEAST) for each in zero_points)
    return most * most * params.count <= INT32_MAX


FITS_INT32 = Condition(_fits_int32, "a sum of products can leave int32")
LEAVES_INT32 = FITS_INT32.opposite("no sum of products leaves int32")
