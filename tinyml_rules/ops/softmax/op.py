"""SOFTMAX: options, what may be wrong with a node, and its table.

Only the exponential of the distance from the largest value depends on a single value, and there are
at most 256 distances: these exponentials are a table in flash.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from tinyml_rules.arithmetic.exponential import exp_on_negative_values
from tinyml_rules.arithmetic.fixed_point import (
    INT32_MAX,
    quantize_multiplier,
    rounding_high_multiply,
    wrap_int32,
)
from tinyml_rules.ir.c_struct import Float32, Int
from tinyml_rules.ir.contract import Between, Contract, Elements, Pointer
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.options import option
from tinyml_rules.ir.program import Work
from tinyml_rules.ops._shared import constraints
from tinyml_rules.ops._shared.operands import VECTORS, Operands, int8, quantized, real
from tinyml_rules.ops._shared.pointwise import vector_work

INPUT_INTEGER_BITS = 5
MAX_DEPTH = 2**13 - 1
"""Each value adds at most 2^19 to the sum, which is 32 bits wide."""
LEAST_EXPONENTIAL = 2**11
"""Of Q0.  Less is rounded to 0 in the sum, which is Q12, and in results: the largest value alone
makes a sum of 2^19, so that they are shifted right by 15 or more."""
WIDE_TOLERANCE = 0.001
"""Relative tolerance of an int16 output's scale, as in `CalculateSoftmaxParams` of TFLM: some files
have 1/65535."""


@dataclass(frozen=True)
class Attrs:
    beta: float = option(0, "float32", default=0.0)


@dataclass(frozen=True, eq=False)
class Params:
    """Members of the C struct.  exponentials[d] is exp(-d * scale * beta) in Q0 for a value d below
    the largest; a distance of table_size or more counts as an exponential of 0, because the rest
    are less than LEAST_EXPONENTIAL."""

    exponentials: Annotated[Array, Elements("table_size"), Between(0, 2**31 - 1)]
    table_size: Annotated[Int, Between(1, 256)]
    depth: Annotated[Int, Between(1, MAX_DEPTH)]


def contract_of(result: DType) -> Contract:
    """Of the kernel, whose output may be its input if that has the same type."""
    cells = (f"{each} + (0 .. count * depth - 1)" for each in ("input", "output"))
    is_apart = f"\\separated({', '.join(cells)})"
    return Contract(
        reads=(Pointer("input", "depth"),),
        writes=Pointer("output", "depth"),
        requires=(
            "exponentials[0] == 2147483647",
            f"input == output || {is_apart}" if result is DType.INT8 else is_apart,
        ),
    )


@dataclass(frozen=True)
class RealParams:
    """Members of the C struct for real numbers."""

    beta: Float32
    depth: Int


def operands_of(result: DType) -> Operands:
    """The output covers 0 to 1."""
    least, most = result.limits
    scale = 1 / (most - least + 1)
    return {
        "input": int8(ranks=VECTORS),
        "output": quantized(
            result,
            shape="input",
            fixed=(scale, least),
            tolerance=WIDE_TOLERANCE * scale if result is DType.INT16 else 0.0,
        ),
    }


def check(view: NodeView) -> Iterator[str]:
    """int32 holds the sum; beta * scale is above 2^-26."""
    attrs, source = view.node.attrs, view["input"]
    assert isinstance(attrs, Attrs)
    yield from constraints.depth(source, most=MAX_DEPTH)
    if not math.isfinite(attrs.beta) or _input_multiplier(attrs, source.scale) <= 1:
        yield f"beta {attrs.beta:g} times scale {source.scale:g} is outside what int8 can resolve"


REAL_OPERANDS = {"input": real(ranks=VECTORS), "output": real(shape="input")}


def check_real(view: NodeView) -> Iterator[str]:
    """beta is finite."""
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    if not math.isfinite(attrs.beta):
        yield f"beta is {attrs.beta:g}, expected a finite number"


def _input_multiplier(attrs: Attrs, scale: float) -> float:
    """The factor from a distance to Q5, limited as in `PreprocessSoftmaxScaling` of TFLM."""
    return min(attrs.beta * scale * float(2 ** (31 - INPUT_INTEGER_BITS)), float(INT32_MAX))


def params_of(view: NodeView) -> Params:
    """Everything that does not depend on the input's values."""
    attrs, source = view.node.attrs, view["input"]
    assert isinstance(attrs, Attrs)
    multiplier, shift = quantize_multiplier(_input_multiplier(attrs, source.scale))
    # `CalculateInputRadius` of TFLM: the largest distance whose Q5 number does not overflow
    radius = (2**INPUT_INTEGER_BITS - 1) * 2 ** (31 - INPUT_INTEGER_BITS) // 2**shift
    distances = np.arange(min(radius, 255) + 1, dtype=np.int64)
    rescaled = rounding_high_multiply(wrap_int32(-distances << shift), multiplier)
    exponentials = exp_on_negative_values(rescaled)
    counts = (exponentials < 0) | (exponentials >= LEAST_EXPONENTIAL)
    size = int(np.flatnonzero(counts)[-1]) + 1
    return Params(
        exponentials=exponentials[:size].astype(np.int32),
        table_size=size,
        depth=source.shape[-1],
    )


def keeps_order(view: NodeView) -> bool:
    """Whether exponentials never grow with the distance from the largest value: all further steps
    are the same for the whole vector, and monotonic."""
    exponentials = params_of(view).exponentials.astype(np.int64)
    return bool(np.all(np.diff(exponentials) <= 0)) and exponentials[-1] >= 0


def prepare(view: NodeView) -> Work:
    """One unit is one vector of the last dimension."""
    return vector_work(view, params_of(view))


def prepare_real(view: NodeView) -> Work:
    """The same of real numbers."""
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    return vector_work(view, RealParams(beta=attrs.beta, depth=view["input"].shape[-1]))
