"""MEAN_SQUARED_DIFFERENCE: the mean of the squared differences of two int8 tensors, in fixed point
with the output's scale.  `passes/add_scores.py` makes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tinyml_rules.arithmetic.exact_scale import LEAST, MOST
from tinyml_rules.arithmetic.fixed_point import INT32_MAX
from tinyml_rules.arithmetic.squared_difference import difference_of
from tinyml_rules.ir.c_struct import Int, Int32
from tinyml_rules.ir.condition import Condition
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.program import Form, Kernel, Work
from tinyml_rules.ir.words import Variant
from tinyml_rules.ops._shared.operator import Meaning, Op


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


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor."""
    one, other = view["first input"], view["second input"]
    a, b = (
        values[each.index].reshape(-1).astype(np.int64) - each.zero_point for each in (one, other)
    )
    made = difference_of(one, other, view.output)
    found = made.of(int(a @ a), int(a @ b), int(b @ b))
    return np.array(found, np.int32).reshape(view.output.shape)


_TEMPLATE = Path(__file__).parent / "kernels" / "portable.c.j2"


@dataclass(frozen=True)
class Sum(Variant):
    """Words of the template."""

    sum: str
    """C type of the sum of all squares."""


OP = Op(
    name="mean_squared_difference",
    inputs=("first input", "second input"),
    summary="two int8 tensors to one int32",
    meanings=(
        Meaning(
            {},
            oracle,
            prepare,
            kernels=(
                Kernel(
                    name="mean_squared_difference",
                    template=_TEMPLATE,
                    form=Form.WHOLE,
                    can=(FITS_INT32,),
                    variant=Sum("int32_t"),
                ),
                Kernel(
                    name="mean_squared_difference_of_many",
                    template=_TEMPLATE,
                    form=Form.WHOLE,
                    can=(LEAVES_INT32,),
                    variant=Sum("int64_t"),
                ),
            ),
        ),
    ),
)
