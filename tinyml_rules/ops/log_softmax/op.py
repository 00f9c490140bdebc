"""LOG_SOFTMAX: what may be wrong with a node, and its table.

As in SOFTMAX, exponentials of the distance from the largest value are a table.  An output is that
distance and the logarithm of the sum of the exponentials, both below 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tinyml_rules.arithmetic.exponential import exp_on_negative_values
from tinyml_rules.arithmetic.fixed_point import (
    INT32_MAX,
    quantize_multiplier,
    rounding_high_multiply,
    rounding_shift_right,
)
from tinyml_rules.ir.c_struct import Int, Int8, Int32
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.program import Work
from tinyml_rules.ops._shared import constraints
from tinyml_rules.ops._shared.operands import VECTORS, int8, real

INPUT_FRACTION_BITS = 26
SUM_INTEGER_BITS = 12
MOST_DEPTH = 2**SUM_INTEGER_BITS - 1
"""Each value adds at most 1 to the sum."""
OUTPUT_SCALE = 1 / 16
OUTPUT_ZERO_POINT = 127


@dataclass(frozen=True, eq=False)
class Params:
    """Members of the C struct.  exponentials[d] is exp(-d * scale) in Q12 for a value d below the
    largest; `multiplier` and `shift` make d * scale in Q5 of a distance, which of table_size or
    more is too far for int8."""

    exponentials: Array
    table_size: Int
    depth: Int
    multiplier: Int32
    shift: Int8


OPERANDS = {
    "input": int8(ranks=VECTORS),
    "output": int8(shape="input", fixed=(OUTPUT_SCALE, OUTPUT_ZERO_POINT)),
}
REAL_OPERANDS = {"input": real(ranks=VECTORS), "output": real(shape="input")}


def check(view: NodeView) -> Iterator[str]:
    """A sum that int32 holds, and a scale above 2^-26."""
    source = view["input"]
    yield from constraints.depth(source, most=MOST_DEPTH)
    multiplier, shift = _multiplier(source.scale)
    if shift < 1 or 2.0 ** (31 - shift) / multiplier >= 1:
        yield f"input tensor {source} has scale {source.scale:g}, expected above 2^-26"


def _multiplier(scale: float) -> tuple[int, int]:
    """What makes a Q5 number of a distance; `PreprocessSoftmaxScaling` of TFLM caps it so."""
    return quantize_multiplier(min(scale * 2.0**INPUT_FRACTION_BITS, float(INT32_MAX)))


def prepare(view: NodeView) -> Work:
    """One unit is one vector of the last dimension."""
    source = view["input"]
    multiplier, shift = _multiplier(source.scale)
    # `CalculateInputRadius` of TFLM: the largest distance whose Q5 number does not overflow
    radius = 31 * 2**INPUT_FRACTION_BITS // 2**shift
    distances = np.arange(min(radius, 255) + 1, dtype=np.int64)
    exponents = rounding_high_multiply(-distances << shift, multiplier)
    exponentials = rounding_shift_right(exp_on_negative_values(exponents), SUM_INTEGER_BITS)
    params = Params(
        exponentials=exponentials.astype(np.int32),
        table_size=len(exponentials),
        depth=source.shape[-1],
        multiplier=multiplier,
        shift=shift,
    )
    return Work(
        params=params,
        inputs=(source.index,),
        outputs=(view.output.index,),
        units=view.output.count // params.depth,
    )
